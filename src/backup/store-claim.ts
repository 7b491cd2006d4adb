import { setTimeout as pause } from 'node:timers/promises';
import { VERSION } from '../config/product.js';

/** Whole objects by name. A list shows every earlier put. */
export interface ClaimedStore {
  list(below: string): Promise<string[]>;
  put(name: string, bytes: Buffer): Promise<void>;
  remove(name: string): Promise<void>;
}

const CLAIMS = 'installation/';
const CLAIM = /^installation\/[\da-f]{32}$/;
/** For the claim that is withdrawn at this moment, ten seconds. */
const ATTEMPTS = 100;
const RETRY_MS = 100;

/**
 * Takes a store for an installation, before anything is written or deleted in it. Few stores refuse to write where
 * there is an object, so a claim is written first and looked for afterwards: of several at once, at most one finds
 * itself alone. The others withdraw, and the first of them by its id goes on.
 *
 * @param settings that have its address, for the message
 * @throws {Error} for the operator, when it is another's
 */
export async function claimStore(store: ClaimedStore, installation: string, settings: string): Promise<void> {
  const own = CLAIMS + installation;
  for (let attempt = 1; ; attempt += 1) {
    const before = await store.list(CLAIMS);
    let [other] = othersIn(before, own);
    if (other === undefined) {
      if (before.includes(own)) return;
      await store.put(own, Buffer.from(VERSION));
      [other] = othersIn(await store.list(CLAIMS), own);
      if (other === undefined) return;
      await store.remove(own);
      if (other > own && attempt < ATTEMPTS) {
        await pause(RETRY_MS);
        continue;
      }
    } else if (attempt > 1 && attempt < ATTEMPTS) {
      await pause(RETRY_MS);
      continue;
    }
    throw new Error(
      `${settings} holds the files of another installation. Give each a folder or prefix of its own; if the other ` +
        `one is gone for good, delete ${other} there.`,
    );
  }
}

const othersIn = (names: readonly string[], own: string) =>
  names.filter((name) => CLAIM.test(name) && name !== own).sort();
