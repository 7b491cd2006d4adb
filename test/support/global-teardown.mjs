import { removeTestServer } from './test-server.mjs';

export default async function globalTeardown() {
  await removeTestServer(process.env.TEST_SERVER_DIR);
  await removeTestServer(process.env.TEST_DATA_DIR);
}
