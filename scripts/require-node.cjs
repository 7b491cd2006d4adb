// Run before the install and before the build: a Node that is too old says so in one line, and not by a syntax error.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Bowerbird needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}
