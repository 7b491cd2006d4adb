import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { unscoped } from '../db/scope.js';
import { ReadDatabase } from '../db/replicas/read-database.js';
import { ApiError } from '../errors/api-error.js';
import { onceDone } from '../validation/caches.js';
import { isSame } from '../validation/proofs.js';

const PROOF_BYTES = 16;

/** The secret of web pages that all instances share. */
@Injectable()
export class ListSecretRepository {
  /** It never changes. */
  private readonly secret = onceDone(() => unscoped(() => this.readSecret()));

  constructor(private readonly reads: ReadDatabase) {}

  private async readSecret(): Promise<string> {
    const [row] = await this.reads.query<{ secret: string }>('SELECT secret FROM list_secret');
    if (!row) throw new Error('The table list_secret is empty; a migration fills it.');
    return row.secret;
  }

  /** The signature of a text: 22 characters. @throws {DatabaseUnavailable} */
  async sign(text: string): Promise<string> {
    return (await this.proofOf(text)).toString('base64url');
  }

  /** @throws {DatabaseUnavailable} */
  async isSigned(text: string, signature: string): Promise<boolean> {
    return isSame(Buffer.from(signature, 'base64url'), await this.proofOf(text));
  }

  private async proofOf(text: string): Promise<Buffer> {
    const secret = await this.secret();
    return createHmac('sha256', secret).update(text).digest().subarray(0, PROOF_BYTES);
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
    return `${cursor}.${await this.secrets.sign(cursor)}`;
  }

  /** @returns the cursor @throws {ApiError} invalid_parameter for a wrong signature */
  async open(text: string): Promise<string> {
    const [, cursor, signature] = SIGNED.exec(text) ?? [];
    if (cursor && signature && (await this.secrets.isSigned(cursor, signature))) return cursor;
    throw new ApiError(
      'invalid_parameter',
      'This address is not complete. Begin again at the first page of the list.',
    );
  }
}
