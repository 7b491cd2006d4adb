import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { ApiError } from '../errors/api-error.js';
import { isSame } from '../validation/proofs.js';

const PROOF_BYTES = 16;

/** The secret of web pages that all instances share. */
@Injectable()
export class ListSecretRepository {
  private secret: Promise<string> | null = null;

  constructor(private readonly reads: ReadDatabase) {}

  /** The signature of a text. @throws {DatabaseUnavailable} */
  async proofOf(text: string): Promise<Buffer> {
    // Read once, since it never changes; after a failure the next call reads it again.
    this.secret ??= this.read().catch((error: unknown) => {
      this.secret = null;
      throw error;
    });
    return createHmac('sha256', await this.secret)
      .update(text)
      .digest()
      .subarray(0, PROOF_BYTES);
  }

  private async read(): Promise<string> {
    const [row] = await this.reads.query<{ secret: string }>('SELECT secret FROM list_secret');
    if (!row) throw new Error('The table list_secret is empty; a migration fills it.');
    return row.secret;
  }
}

/** A cursor and its signature. */
const SIGNED = /^([\w-]+)\.([\w-]{22})$/;

/**
 * Signs the cursors of web pages. A tier may read only so many rows of a list; with a forged cursor a visitor could
 * begin anywhere. Cursors of the API need no signature, since their rows are paid for.
 */
@Injectable()
export class ListCursors {
  constructor(private readonly secrets: ListSecretRepository) {}

  /** @throws {DatabaseUnavailable} */
  async sign(cursor: string): Promise<string> {
    return `${cursor}.${(await this.secrets.proofOf(cursor)).toString('base64url')}`;
  }

  /** @returns the cursor @throws {ApiError} invalid_parameter for a wrong signature */
  async open(text: string): Promise<string> {
    const [, cursor, proof] = SIGNED.exec(text) ?? [];
    const isOurs =
      cursor !== undefined &&
      proof !== undefined &&
      isSame(Buffer.from(proof, 'base64url'), await this.secrets.proofOf(cursor));
    if (isOurs) return cursor;
    throw new ApiError(
      'invalid_parameter',
      'This address is not complete. Begin again at the first page of the list.',
    );
  }
}
