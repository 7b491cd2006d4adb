export default async function globalTeardown() {
  await globalThis.__TEST_SERVER__.stop();
}
