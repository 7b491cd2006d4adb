import { Injectable } from '@nestjs/common';
import { ReadDatabase } from '../replicas/read-database.js';

@Injectable()
export class ListSecretRepository {
  constructor(private readonly reads: ReadDatabase) {}

  async read(): Promise<string> {
    const [row] = await this.reads.query<{ secret: string }>('SELECT secret FROM list_secret');
    if (!row) throw new Error('The table list_secret has lost its row, which a migration wrote.');
    return row.secret;
  }
}
