// Node is checked before the service is loaded: an older version would fail at the imports, with a stack instead
// of a reason.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Bowerbird needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
if (process.argv.includes('--help')) {
  const { settingsHelp } = await import('./config/settings.js');
  process.stdout.write(settingsHelp());
} else {
  await import('reflect-metadata');
  const { serve } = await import('./app/serve.js');
  const { readProcessConfig } = await import('./config/read-config.js');
  await serve(() => readProcessConfig(), { examines: true });
}

export {};
