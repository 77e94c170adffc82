// Sixteen bits, and what they stand for as a half, a bfloat16, an int.
kit.rules.bits = ({ word }) => {
  const WIDE = 27.75, place = two => 60 + 380 * (two + 140) / 272;
  const line = (x, y, toX, toY) => `M${at(x)} ${at(y)}L${at(toX)} ${at(toY)}`;
  const power = (base, exponent) => base + String(exponent).replace(/[-\d]/g,
    sign => "⁰¹²³⁴⁵⁶⁷⁸⁹"[sign] ?? "⁻");
  // A number as the figure writes it: six digits, or three and a power of ten.
  const words = number => {
    if (isNaN(number)) return "NaN";
    const sign = number < 0 || Object.is(number, -0) ? "−" : "";
    let size = Math.abs(number), scale = 1, ten = 0;
    if (size === 0 || size === Infinity) return sign + (size ? "∞" : "0");
    if (size >= 1024 && size < 1e7) return sign + num(size);
    if (size >= .001 && size < 1024) {
      while (size * scale < 1e5) scale *= 10;
      return sign + floor(size * scale + .5) / scale;
    }
    while (size >= 9.995) size /= 10, ten++;
    while (size < .9995) size *= 10, ten--;
    return `${sign}${floor(size * 100 + .5) / 100} · ${power(10, ten)}`;
  };
  const text = word.toString(2).padStart(16, "0"), whole = word - (word >= 32768 ? 65536 : 0);
  const texts = [], found = {};
  let used = "", hot = "", idle = "", dots = "", lines = line(60, 232, 440, 232), said = "";
  const cells = (y, exponentBits) => {
    for (const k of span(0, 16)) {
      const cell = box(WIDE * k + 1, y, WIDE - 2, 20);
      if (!k) hot += cell;
      else if (k <= exponentBits) used += cell;
      else idle += cell;
      texts.push([at(WIDE * k + WIDE / 2), y + 15, text[k], "w-mid"]);
    }
  };
  [["half", 5, 10], ["bfloat16", 8, 7]].forEach(([name, exponentBits, fractionBits], row) => {
    const all = 2 ** exponentBits - 1, parts = 2 ** fractionBits, bias = 2 ** (exponentBits - 1) - 1;
    const exponent = floor(word / parts) % (all + 1), fraction = word % parts;
    const minus = word >= 32768, scale = max(exponent, 1) - bias, hidden = exponent ? 1 : 0;
    const size = exponent === all ? fraction ? NaN : Infinity
      : (hidden + fraction / parts) * 2 ** scale;
    const shown = words(minus ? -size : size), top = 62 * row, y = 206 + 14 * row;
    found[name] = [shown, exponent, fraction];
    const apart = exponent < all && `; numbers of this size are ${power(2, scale - fractionBits)} apart`;
    const how = apart ? `${minus ? "−" : ""}(${hidden} + ${fraction}/${parts}) · ${power(2, scale)}`
      : `an exponent of ones: ${fraction ? "NaN" : "infinite"}`;
    said += `As a ${name} these bits are ${shown}${apart || ""}. `;
    texts.push([0, top + 13, `${name}: ${shown}${!exponent && fraction ? ", subnormal" : ""}`,
      "w-bold"], [444, top + 13, how, "w-end"]);
    cells(top + 19, exponentBits);
    const from = place(1 - bias - fractionBits);
    used += box(from, y - 9, place(bias + 1) - from, 9);
    texts.push([54, y, name, "w-end"]);
    if (size > 0 && size < Infinity) {
      let two = scale, mantissa = size / 2 ** scale;
      while (mantissa < 1) mantissa *= 2, two--;
      dots += box(place(two + mantissa - 1) - 1.5, y - 11, 3, 13);
    }
  });
  said += `As an int of 16 bits they are ${words(whole)}.`;
  texts.push([0, 137, `int16: ${words(whole)}`, "w-bold"], [444, 137, "all numbers are 1 apart", "w-end"]);
  cells(143, 0);
  texts.push([0, 189, "Sizes that a type can write, and where these bits are", ""]);
  for (const ten of [-40, -20, 0, 20]) {
    const x = place(ten * 3.3219);
    lines += line(x, 228, x, 236);
    texts.push([at(x), 249, ten ? power(10, ten) : "1", "w-mid"]);
  }
  return {
    ...found, int: whole, said, height: 254,
    paths: [["w-used", used], ["w-hot", hot], ["w-idle", idle], ["w-lines", lines],
      ["w-dot", dots]],
    texts,
  };
};
// The switches: a button a bit, above the drawing.
(kit.extras ??= {}).bits = (figure, [word]) => {
  const row = document.createElement("p");
  row.className = "w-bits";
  row.role = "group";
  row.ariaLabel = "The 16 bits";
  row.innerHTML = span(0, 16).map(k =>
    `<button type="button" role="switch" aria-label="bit ${15 - k}"></button>`).join("");
  figure.querySelector("div").before(row);
  const buttons = [...row.children];
  buttons.forEach((button, k) => button.addEventListener("click", () => {
    word.value ^= 32768 >> k;
    word.dispatchEvent(new Event("input", { bubbles: true }));
  }));
  return () => buttons.forEach((button, k) => {
    button.textContent = +((word.value & 32768 >> k) > 0);
    button.ariaChecked = button.textContent === "1";
  });
};
