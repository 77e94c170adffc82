// What a request of 32 lanes to global memory moves.
kit.rules.sectors = ({ stride, offset, width }) => {
  const readers = new Map();  // byte address -> lanes, ascending
  for (let lane = 0; lane < 32; lane++) {
    const at = (stride * lane + offset) * width;
    readers.set(at, [...(readers.get(at) ?? []), lane]);
  }
  const addresses = [...readers.keys()];
  const sectors = [...new Set(addresses.map(at => at >> 5))];
  const lines = [...new Set(sectors.map(sector => sector >> 2))];
  const share = +(100 * addresses.length * width / (32 * sectors.length)).toPrecision(3);
  const rows = lines.slice(0, 8).map(line => [
    128 * line,
    sectors.filter(s => s >> 2 === line).map(s => [s % 4 * 8, 8]),
    addresses.filter(at => at >> 7 === line).map(at =>
      [at % 128 / 4, width / 4, who(readers.get(at))]),
  ]);
  const apart = stride ? `${several(stride * width, "byte")} apart` : "all at one address";
  return {
    requests: 1, sectors: sectors.length, lines: lines.length, share,
    said: `32 lanes ask for ${several(width, "byte")} each, ${apart}: 1 request moves `
      + `${several(sectors.length, "sector")} of 32 bytes, in ${several(lines.length, "line")} of `
      + `128 bytes. ${share} % of the bytes moved are used.`,
    ...cells("byte", 8, 4, 20, rows,
      lines.length > 8 ? `and ${several(lines.length - 8, "more line")}` : ""),
  };
};
