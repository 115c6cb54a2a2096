# Builds the single-file executable and puts it into an image without Node, npm or sources.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# npm ci runs bin/prepare.js, which builds nothing without sources.
COPY bin ./bin
RUN npm ci
COPY tsconfig.json ./
COPY tools ./tools
COPY src ./src
# The documentation that every node serves.
COPY README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY docs ./docs
RUN node_modules/.bin/bun tools/build-executable.ts /build/serac

FROM debian:bookworm-slim
# Recovers signers in two thirds of the time of the library that the executable contains. Its version is Debian's: the archive of a stable
# release has one at a time, so a pinned version could not be installed after the next update.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends libsecp256k1-1 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home serac && install --directory --owner=serac --mode=0700 /data
COPY --from=build /build/serac /usr/local/bin/serac
# A number: Kubernetes cannot tell from a name that it is not root.
USER 10001
VOLUME /data
EXPOSE 9650
# The executable contains Bun, which BUN_BE_BUN=1 runs instead of Serac. Other ports and paths: set SERAC_HEALTH_URL.
ENV SERAC_HEALTH_URL=http://127.0.0.1:9650/v1/health-check
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["/usr/bin/env", "BUN_BE_BUN=1", "serac", "-e", "process.exit((await fetch(process.env.SERAC_HEALTH_URL, { proxy: false })).ok ? 0 : 1)"]
ENTRYPOINT ["serac"]
CMD ["--http-host=0.0.0.0", "--data-dir=/data", "--supervise"]
