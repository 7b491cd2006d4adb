// Puts what runs into few files: dist/main.js, demo.js, cli.js and their like, with what they share and what is loaded later in
// dist/chunks. Run after the compiler (`npm run build`); what it compiled stays in dist/src for those who work with parts of it.
//
//   node scripts/bundle.mjs [FOLDER]     FOLDER/dist/src, of this checkout where none is said
//
// Loading 2,700 modules was two thirds of a start: with few files it takes 1.7 s of CPU time instead of 2.7 until the service is ready
// (the demo, the second time). Names and lines are kept, so that a stack says where it was.
import { build } from 'esbuild';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const CHUNKS = join(DIST, 'chunks');
const PROGRAMS = ['main', 'demo', 'demo-names', 'cli', 'exports/making/export-process.main'];
/** What makes a bundle old. The compiler writes the first when it has compiled anything. */
const INPUTS = ['dist/tsconfig.build.tsbuildinfo', 'package-lock.json', 'scripts/bundle.mjs'];
/** For processes that were started before and load a chunk later. */
const KEEP_CHUNKS_MS = 24 * 3_600_000;

const OUTSIDE = [
  // Packages load these by name while they run, and there must be one of each: pg by TypeORM, the decorators' by Nest's mapped types.
  'pg',
  'class-transformer',
  'class-validator',
  // Its files are served from where they lie.
  'swagger-ui-dist',
  // Parts of Nest that are not installed.
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/websockets',
];

// For CommonJS packages in an ES module. The bundler does not know of these names and renames nothing that is called alike.
const REQUIRE = `import { createRequire as $require } from 'node:module';
import { dirname as $folderOf } from 'node:path';
import { fileURLToPath as $pathOf } from 'node:url';
const require = $require(import.meta.url), __filename = $pathOf(import.meta.url), __dirname = $folderOf(__filename);`;

if (await isOld()) await bundle();

async function isOld() {
  const [made, ...inputs] = await Promise.all(
    ['dist/main.js', ...INPUTS].map(
      async (file) => (await stat(join(ROOT, file)).catch(() => null))?.mtimeMs ?? 0,
    ),
  );
  return made <= Math.max(...inputs);
}

async function bundle() {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.map((program) => ({
      in: `dist/src/${program}.js`,
      out: program.slice(program.lastIndexOf('/') + 1),
    })),
    outdir: DIST,
    chunkNames: 'chunks/[name]-[hash]',
    external: OUTSIDE,
    banner: { js: REQUIRE },
    bundle: true,
    splitting: true,
    // Nest tells classes apart by their names, and the documents are named by them.
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  await mkdir(CHUNKS, { recursive: true });
  // Programs last: what they load is there when they are.
  for (const { path, contents } of outputFiles.toSorted((one, other) => depth(other) - depth(one)))
    await replace(path, contents);
  await removeChunks(new Set(outputFiles.map(({ path }) => path)));
  await utimes(join(DIST, 'main.js'), new Date(), new Date());
}

function depth({ path }) {
  return dirname(path).length;
}

/** At once: somebody may start from it right now. */
async function replace(path, contents) {
  const former = await readFile(path).catch(() => null);
  if (former?.equals(contents)) return;
  await writeFile(`${path}.${process.pid}`, contents);
  await rename(`${path}.${process.pid}`, path);
}

async function removeChunks(kept) {
  for (const name of await readdir(CHUNKS)) {
    const path = join(CHUNKS, name);
    if (!kept.has(path) && Date.now() - (await stat(path)).mtimeMs > KEEP_CHUNKS_MS)
      await rm(path, { force: true });
  }
}
