# A machine for grading a class's submissions, which are code that nobody has read: no network, no
# place to write but the results, limits on processors, memory and processes, an empty environment.
# Untried: it was written where no container can run. Please report what does not work.
#
#   docker build -f tools/grading.Dockerfile -t warpbook-grading .
#   mkdir results
#   docker run --rm --network none --read-only --tmpfs /tmp:size=1g --user "$(id -u):$(id -g)" \
#       --cap-drop ALL --security-opt no-new-privileges --cpus 4 --memory 16g --pids-limit 256 \
#       --volume "$PWD/submissions:/in:ro" --volume "$PWD/results:/out" \
#       warpbook-grading /in --out /out
#
# A teacher's file of secrets (CONTRIBUTING.md, 'A class'): add
#       --volume "$PWD/secret.toml:/secret.toml:ro" --env WARPBOOK_TEACHER=/secret.toml
# Stopped, it goes on when it is started again with the same results. Kernels run in the emulator,
# each with at most 4 GB of memory: give 4 GB for each processor.
FROM python:3.12-slim-bookworm
WORKDIR /project
COPY pyproject.toml requirements.txt README.md LICENSE ./
COPY warpbook warpbook
COPY emulator/warpemu emulator/warpemu
COPY kernels kernels
COPY book/results book/results
COPY tools/peers tools/peers
RUN pip install --no-cache-dir --constraint requirements.txt uv \
    && uv pip install --system --no-cache --constraint requirements.txt \
        --build-constraint requirements.txt .
WORKDIR /tmp
ENV HOME=/tmp OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
ENTRYPOINT ["python", "-m", "warpbook", "class", "grade"]
