// Puts what runs into few files: dist/main.js, demo.js, cli.js and their like, with what they share and what is loaded later in
// dist/chunks. Run after the compiler (`npm run build`); what it compiled stays in dist/src for those who work with parts of it.
//
//   node scripts/bundle.mjs [FOLDER]     FOLDER/dist/src, of this checkout where none is said
//
// Loading 2,700 modules was two thirds of a start: with few files it takes 1.7 s of CPU time instead of 2.7 until the service is ready
// (the demo, the second time). The names of functions and classes are kept, by which a stack is read.
import { build, transform } from 'esbuild';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('..', import.meta.url));
const ROOT = resolve(process.argv[2] ?? CHECKOUT);
const DIST = join(ROOT, 'dist');
const CHUNKS = join(DIST, 'chunks');
/** What the last bundle was made of, and what of it. Written when all else is. */
/** How esbuild gives a function its name. */
const NAMING = 'var __name = (target, value) => __defProp(target, "name", { value, configurable: true });';
const NOTE = join(DIST, 'bundle.json');
const PROGRAMS = ['main', 'demo', 'demo-names', 'cli', 'exports/export-process.main'];
/** What makes a bundle old. The compiler writes the first when it has compiled anything. */
const INPUTS = ['dist/tsconfig.build.tsbuildinfo', 'package-lock.json', 'scripts/bundle.mjs'];
/** How long the chunks of former bundles are kept, for processes that were started before and load one later. */
const KEEP_RETIRED_MS = 48 * 3_600_000;

const OUTSIDE = [
  // Nest's mapped types load these by name while they run, and there must be one of each.
  'class-transformer',
  'class-validator',
  // CommonJS that is imported when it is needed: see assertNamesSurvive.
  '@zxcvbn-ts/*',
  '@opentelemetry/*',
  // Its refusals are known by where they were thrown (src/accounts/passkeys.service.ts).
  '@simplewebauthn/*',
  // Loads a binary for its platform.
  '@resvg/resvg-js',
  // Reads files of its own package.
  'pdfkit',
  // Its files are served from where they lie.
  'swagger-ui-dist',
  // Not installed: parts of Nest, and another client of PostgreSQL.
  'pg-native',
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/websockets',
];

/** Imported for what it does. */
const WITHOUT_NAMES = ['reflect-metadata'];

// For CommonJS packages in an ES module. The bundler does not know of these names and renames nothing that is called alike.
const REQUIRE = `import { createRequire as $require } from 'node:module';
import { dirname as $folderOf } from 'node:path';
import { fileURLToPath as $pathOf } from 'node:url';
const require = $require(import.meta.url), __filename = $pathOf(import.meta.url), __dirname = $folderOf(__filename);`;

// Read before the bundle is made: what the compiler changes meanwhile makes it old.
const madeOf = await hashInputs();
await copyTemplates();
await copyScripts();
const former = JSON.parse(await readFile(NOTE, 'utf8').catch(() => '{}'));
if (!(await isFresh())) await bundle();

/** A program reads the templates of its own build. One that runs already has read all of them. */
async function copyTemplates() {
  const [source, target] = [join(CHECKOUT, 'src/web/templates'), join(DIST, 'templates')];
  await mkdir(target, { recursive: true });
  const [names, copies] = [await readdir(source), await readdir(target)];
  for (const name of names) await replace(join(target, name), await readFile(join(source, name)));
  for (const name of copies) if (!names.includes(name)) await rm(join(target, name));
}

/** The scripts of pages, small: every visitor loads them. Their names stay, by which one calls the other. */
async function copyScripts() {
  await mkdir(join(DIST, 'assets'), { recursive: true });
  for (const name of ['site.js', 'look.js']) {
    const text = await readFile(join(CHECKOUT, 'assets', name), 'utf8');
    const { code } = await transform(text, { minify: true });
    await replace(join(DIST, 'assets', name), Buffer.from(code));
  }
}

async function hashInputs() {
  const hash = createHash('sha256');
  for (const file of INPUTS) hash.update(await readFile(join(ROOT, file)).catch(() => '')).update('\0');
  return hash.digest('hex');
}

async function isFresh() {
  if (former.madeOf !== madeOf) return false;
  const missing = await Promise.all(
    former.files.map((file) =>
      access(join(DIST, file)).then(
        () => [],
        () => [file],
      ),
    ),
  );
  return missing.flat().length === 0;
}

async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: PROGRAMS.map((program) => ({ in: `dist/src/${program}.js`, out: basename(program) })),
    outdir: DIST,
    chunkNames: 'chunks/[name]-[hash]',
    external: OUTSIDE,
    banner: { js: REQUIRE },
    bundle: true,
    splitting: true,
    metafile: true,
    // Nest tells classes apart by their names, and the documents are named by them.
    keepNames: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  assertNamesSurvive(metafile.inputs);
  const files = outputFiles.map(({ path }) => relative(DIST, path));
  await mkdir(CHUNKS, { recursive: true });
  // Programs last: what they load is there when they are.
  for (const { path, contents } of withCheapNames(outputFiles).toSorted(
    (one, other) => isChunk(other) - isChunk(one),
  ))
    await replace(path, contents);
  await removeRetired(new Set(files));
  await replace(NOTE, Buffer.from(JSON.stringify({ madeOf, files })));
}

/** Classes have names for Nest; naming each arrow function that a request makes would take 0.25 us (0.01 as here). */
function withCheapNames(outputFiles) {
  const cheap = NAMING.replace(
    '=> ',
    '=> target.prototype === undefined || target.name === value ? target : ',
  );
  let found = 0;
  const changed = outputFiles.map(({ path, text }) => {
    found += text.split(NAMING).length - 1;
    return { path, contents: Buffer.from(text.replace(NAMING, cheap)) };
  });
  if (found === 0) throw new Error('esbuild names functions in another way now; see withCheapNames');
  return changed;
}

/** A CommonJS package that is imported while the program runs would come without its names: esbuild gives it a default export alone. */
function assertNamesSurvive(inputs) {
  const nameless = Object.values(inputs)
    .flatMap(({ imports }) => imports.filter(({ kind, external }) => kind === 'dynamic-import' && !external))
    .map(({ path }) => path)
    .filter(
      (path) => inputs[path]?.format !== 'esm' && !WITHOUT_NAMES.some((name) => path.includes(`/${name}/`)),
    );
  if (nameless.length > 0)
    throw new Error(
      `These are imported while the program runs and are CommonJS; leave them outside:\n${nameless.join('\n')}`,
    );
}

function isChunk({ path }) {
  return path.startsWith(CHUNKS);
}

/** At once: somebody may start from it right now. */
async function replace(path, contents) {
  const before = await readFile(path).catch(() => null);
  if (before?.equals(contents)) return;
  await writeFile(`${path}.${process.pid}`, contents);
  await rename(`${path}.${process.pid}`, path);
}

/** Chunks are retired by the bundle that first does without them, and what was left by one that was killed counts as such. */
async function removeRetired(files) {
  const now = new Date();
  for (const name of await readdir(CHUNKS)) {
    const [path, file] = [join(CHUNKS, name), join('chunks', name)];
    if (files.has(file)) continue;
    if (former.files?.includes(file)) await utimes(path, now, now);
    else if (now - (await stat(path)).mtime > KEEP_RETIRED_MS) await rm(path, { force: true });
  }
}
