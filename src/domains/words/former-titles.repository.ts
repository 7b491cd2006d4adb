import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { Database } from '../../db/database.js';
import { ApiError } from '../../errors/api-error.js';

/** Whether names can be found by the titles of their former sites. */
@Injectable()
export class FormerTitles {
  private isComplete = false;

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** @throws {ApiError} not_ready until the titles of all names that the archive has are read */
  async assertReady(): Promise<void> {
    if (!this.config.archive.readsTitles) throw new ApiError('not_ready', OFF);
    this.isComplete ||= await this.readIsComplete();
    if (!this.isComplete) throw new ApiError('not_ready', READING);
  }

  private async readIsComplete(): Promise<boolean> {
    const [row] = await this.database.query<{ isComplete: boolean }>(
      'SELECT is_complete AS "isComplete" FROM former_site_fill',
    );
    return row?.isComplete ?? false;
  }
}

const OFF = 'Titles of former sites are not read here. Search without former_title.';
const READING =
  'Titles of former sites are being read from the archive. Search without former_title until then.';
