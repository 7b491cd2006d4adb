import { IsIn, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { IsIntegerFrom } from '../validation/numbers.js';
import { IsBucketAddress, TIME_OF_DAY, TIME_OF_DAY_RULE } from './rules.js';
import { PaymentsEnv } from './payments.env.js';

/** The part of {@link Env} that is about the dataset as files. */
export class ExportsEnv extends PaymentsEnv {
  /** `on` makes a snapshot and a diff of the dataset every day and serves them to tiers with exports; needs AUTH=on. */
  @IsIn(['on', 'off'])
  EXPORTS: 'on' | 'off' = 'off';

  /** Folder of the exports, of this installation alone and the same for all its instances. Not set: `exports` in DATA_DIR. */
  @IsOptional()
  @IsString()
  @MaxLength(4096)
  EXPORT_DIR: string | undefined = undefined;

  /** Bucket of an S3-compatible store that exports are kept in instead, and downloads are sent on to: https://ACCESS_KEY_ID:SECRET@ENDPOINT/BUCKET/PREFIX?region=REGION, percent-encoded. They are still made in EXPORT_DIR. */
  @IsOptional()
  @IsBucketAddress()
  EXPORT_S3_URL: string | undefined = undefined;

  /** When the snapshot of a day is made, in UTC: after most of the day's drops are confirmed. */
  @Matches(TIME_OF_DAY, { message: TIME_OF_DAY_RULE })
  EXPORT_TIME = '05:00:00';

  /** `on` also writes a file every hour of what happened in it. */
  @IsIn(['on', 'off'])
  EXPORT_HOURLY: 'on' | 'off' = 'off';

  /** Snapshots that are kept. */
  @IsIntegerFrom(1, 1000)
  EXPORT_KEEP_SNAPSHOTS = 8;

  /** Days that diffs and the changes of hours are kept. */
  @IsIntegerFrom(1, 3650)
  EXPORT_KEEP_DIFF_DAYS = 35;
}
