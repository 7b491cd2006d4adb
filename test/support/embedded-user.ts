import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/db/embedded/embedded-postgres.js';

// A process that uses the embedded server: `embedded-user.js DATA_DIR SHARED_DIR [ROUNDS]`. Without ROUNDS it says its
// URL and stays until SIGTERM; with it, it comes and goes that many times and asks one question each time.
// UMASK, in octal, is taken on first.
const [dataDir = '', sharedDir = '', rounds] = process.argv.slice(2);

if (process.env.UMASK) process.umask(process.env.UMASK);

const open = () => EmbeddedPostgres.open(dataDir, console, sharedDir);

async function stay(): Promise<void> {
  const server = await open();
  // Being present does not keep a process alive, so something else has to.
  const stay = setInterval(() => undefined, 1000);
  process.once('SIGTERM', () => {
    clearInterval(stay);
    void server.close();
  });
  console.log(`url ${server.url}`);
}

async function comeAndGo(times: number): Promise<void> {
  for (let round = 0; round < times; round += 1) {
    const server = await open();
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query('SELECT pg_sleep(random() / 50)');
    await client.end();
    await server.close();
  }
  console.log('done');
}

void (rounds === undefined ? stay() : comeAndGo(Number(rounds)));
