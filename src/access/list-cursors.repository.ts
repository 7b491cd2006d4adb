import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { ApiError } from '../errors/api-error.js';
import { isSame } from '../validation/proofs.js';

@Injectable()
export class ListSecretRepository {
  constructor(private readonly reads: ReadDatabase) {}

  async read(): Promise<string> {
    const [row] = await this.reads.query<{ secret: string }>('SELECT secret FROM list_secret');
    if (!row) throw new Error('The table list_secret has lost its row, which a migration wrote.');
    return row.secret;
  }
}

const PROOF_BYTES = 16;
/** A cursor, and what proves that a page gave it. */
const SIGNED = /^([\w-]+)\.([\w-]{22})$/;

/**
 * Signs the cursors of web pages. A cursor says which page comes next, and a tier ends at so many rows: one that anybody could write
 * would say page two of whatever place. The cursors of the API need no such proof: their rows are paid for.
 */
@Injectable()
export class ListCursors {
  private secret: Promise<string> | null = null;

  constructor(private readonly secrets: ListSecretRepository) {}

  /** @throws {DatabaseUnavailable} */
  async sign(cursor: string): Promise<string> {
    return `${cursor}.${(await this.proofOf(cursor)).toString('base64url')}`;
  }

  /** @returns the cursor @throws {ApiError} invalid_parameter for one that no page has given */
  async open(text: string): Promise<string> {
    const [, cursor, proof] = SIGNED.exec(text) ?? [];
    const isOurs =
      cursor !== undefined &&
      proof !== undefined &&
      isSame(Buffer.from(proof, 'base64url'), await this.proofOf(cursor));
    if (isOurs) return cursor;
    throw new ApiError(
      'invalid_parameter',
      'This address is not complete. Begin again at the first page of the list.',
    );
  }

  private async proofOf(cursor: string): Promise<Buffer> {
    const digest = createHmac('sha256', await this.read())
      .update(cursor)
      .digest();
    return digest.subarray(0, PROOF_BYTES);
  }

  /** It never changes. A read that failed is done again by the next who asks. */
  private read(): Promise<string> {
    this.secret ??= this.secrets.read().catch((error: unknown) => {
      this.secret = null;
      throw error;
    });
    return this.secret;
  }
}
