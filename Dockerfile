# kanonym as a command: docker run --rm -v "$PWD:/data" kanonym anonymize visits.csv --policy policy.yaml -o released.csv
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /kanonym && /kanonym/bin/pip install --no-cache-dir '.[duckdb]' \
    && /kanonym/bin/kanonym compile

FROM python:3.13-slim
COPY --from=build /kanonym /kanonym
RUN useradd --create-home steward && mkdir /data && chown steward /data
USER steward
WORKDIR /data
ENV PATH=/kanonym/bin:$PATH
ENTRYPOINT ["kanonym"]
