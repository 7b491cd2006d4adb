import type { Socket } from 'node:net';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/db/data-source.js';
import { Database } from '../../src/db/database.js';
import { DatabaseUnavailable } from '../../src/errors/database-failure.js';
import { cloneTemplate, dropDatabase } from '../support/database.js';
import { type Proxy, startProxy } from '../support/proxy.js';

// What follows is PostgreSQL's protocol: ReadyForQuery ends the greeting of a new connection.
const READY = Buffer.from('5a0000000549', 'hex');

describe('Database', () => {
  let url: string;
  let proxy: Proxy;
  let dataSource: DataSource;
  let database: Database;
  /** What is done with what the server says, and with what it is told. */
  let passOn: (chunk: Buffer, to: Socket) => void;
  let ask: (chunk: Buffer, to: Socket) => void;
  const open = async (poolSize: number, statementTimeoutMs?: number) => {
    dataSource = createDataSource(proxy.url, poolSize, () => undefined, statementTimeoutMs);
    database = new Database(await dataSource.initialize());
  };
  beforeEach(async () => {
    passOn = ask = (chunk, to) => void to.write(chunk);
    url = await cloneTemplate();
    proxy = await startProxy(url, (incoming, outgoing) => {
      incoming.on('close', () => outgoing.destroy());
      outgoing.on('close', () => incoming.destroy());
      incoming.on('data', (chunk: Buffer) => ask(chunk, outgoing));
      outgoing.on('data', (chunk: Buffer) => passOn(chunk, incoming));
    });
  });
  afterEach(async () => {
    await proxy.close();
    await dataSource.destroy();
    dropDatabase(url);
  });

  it('outlives a connection that the server ends in the same breath in which it greets', async () => {
    await open(2);
    const well = passOn;
    await database.withClient(async () => {
      passOn = (chunk, to) => {
        const isGreeted = chunk.subarray(-READY.length).equals(READY);
        if (isGreeted) to.end(Buffer.concat([chunk, fatal('57P01', 'terminating connection')]));
        else to.write(chunk);
      };
      await expect(database.query('SELECT 1')).rejects.toThrow(DatabaseUnavailable);
      passOn = well;
    });
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('does not lend again a connection that did not answer in time', async () => {
    await open(1, 1_000);
    const well = ask;
    ask = () => undefined;
    await expect(database.query('SELECT 1')).rejects.toThrow(DatabaseUnavailable);
    ask = well;
    expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
