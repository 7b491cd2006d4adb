# syntax=docker/dockerfile:1
# The service as a container: built in one stage, run in another as a user who owns nothing, on a read-only root file system.
# The base image is pinned by digest, so that a build made again is the same: docker buildx imagetools inspect
# node:24-bookworm-slim prints today's.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY migrations ./migrations
COPY src ./src
# Not `npm ci`: the lock file does not name the packages of every platform. The install builds dist/.
RUN npm install --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/typescript node_modules/@types node_modules/esbuild node_modules/@esbuild

FROM ${NODE_IMAGE}
ENV NODE_ENV=production PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# What the pages below /docs show.
COPY CHANGELOG.md ./
COPY docs/API.md ./docs/
COPY docs/site ./docs/site
COPY assets ./assets
# A volume over them is the user's too. Backups are restored once a week into the embedded server, to prove them.
RUN mkdir /exports /backups && chown node:node /exports /backups
USER node
EXPOSE 3000
# A process of its own that is not a shell: docker's SIGTERM reaches Node, which finishes what is under way.
ENTRYPOINT ["node"]
CMD ["dist/main.js"]
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
