import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { pipeline, Readable, Transform } from 'node:stream';
import type { Bucket } from '../config/parsers.js';
import { isObject, messageOf } from '../validation/unknown-values.js';

/** Of one question to the store, its retries included; a body gets more time by its size. */
const LIMIT_MS = 60_000;
/** A store that moves a body more slowly counts as lost. */
const MIN_BYTES_PER_SECOND = 16 * 1024;
const MAX_ATTEMPTS = 4;
/** Pages of 1,000 objects. */
const MAX_LIST_PAGES = 1_000;
/** Of an answer that is no object; a page of a list has 500 kB. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** How long an address is good. */
export interface LinkTimes {
  readonly from: Date;
  readonly seconds: number;
}

const ignore = () => undefined;

/** A bucket of an S3-compatible store, each question with its own deadline. Names are those below its prefix. */
export class BucketClient {
  private readonly client: S3Client;

  constructor(
    private readonly bucket: Bucket,
    private readonly limitMs = LIMIT_MS,
  ) {
    const { endpoint, region, accessKeyId, secretAccessKey } = bucket;
    this.client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey },
      forcePathStyle: true,
      maxAttempts: MAX_ATTEMPTS,
      // What fails is thrown, and logged by who catches it.
      logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      // Stores other than Amazon's do not all know the newer checksums; the SHA-256 goes with each file.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
    // Around the request itself: everything else reads the body whole.
    this.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          const { response } = result;
          if (commandName !== GetObjectCommand.name && hasBody(response))
            response.body = bounded(response.body);
          return result;
        },
      { step: 'deserialize', priority: 'low', name: 'boundBody' },
    );
  }

  /**
   * Lists one object at most.
   *
   * @param setting that has the address of the bucket
   * @returns why the bucket cannot be used, and what to do; null when it can be listed
   */
  async findProblem(setting: string): Promise<StoreProblem | null> {
    const found = await this.probe();
    return found && { ...found, remedy: found.remedy.replace('SETTING', setting) };
  }

  private async probe(): Promise<StoreProblem | null> {
    const { name: Bucket, prefix: Prefix } = this.bucket;
    const command = new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 });
    try {
      const page = await this.within((abortSignal) => this.client.send(command, { abortSignal }));
      return page.Name === Bucket
        ? null
        : { problem: 'answers, but not as an object store', remedy: ADDRESS };
    } catch (error) {
      return problemOf(error);
    }
  }

  async list(below: string): Promise<string[]> {
    const { name: Bucket, prefix } = this.bucket;
    const names: string[] = [];
    let token: string | undefined;
    let pages = 0;
    do {
      if (++pages > MAX_LIST_PAGES)
        throw new Error(`the object store lists more than ${MAX_LIST_PAGES} pages`);
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix + below, ContinuationToken: token });
      const page = await this.within((abortSignal) => this.client.send(command, { abortSignal }));
      names.push(...(page.Contents ?? []).flatMap(({ Key: key }) => key?.slice(prefix.length) ?? []));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return names;
  }

  async put(
    name: string,
    body: Readable | Buffer,
    { bytes, ...more }: Omit<PutObjectCommandInput, 'Bucket' | 'Key' | 'Body'> & { bytes: number },
  ): Promise<void> {
    const command = new PutObjectCommand({
      ...more,
      ...this.objectOf(name),
      Body: body,
      ContentLength: bytes,
    });
    await this.within((abortSignal) => this.client.send(command, { abortSignal }), bytes);
  }

  /** @returns null when there is none */
  async find(name: string): Promise<{ bytes: number | undefined; sha256: string | undefined } | null> {
    try {
      const found = await this.within((abortSignal) =>
        this.client.send(new HeadObjectCommand(this.objectOf(name)), { abortSignal }),
      );
      return { bytes: found.ContentLength, sha256: found.Metadata?.sha256 };
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFound') return null;
      throw error;
    }
  }

  /** @param bytes at least so many are given time to come */
  async read(name: string, bytes: number): Promise<Readable> {
    const { Body: body } = await this.within((abortSignal) =>
      this.client.send(new GetObjectCommand(this.objectOf(name)), { abortSignal }),
    );
    if (!(body instanceof Readable)) throw new Error(`the store gave no stream for ${name}`);
    const limitMs = this.limitOf(bytes);
    const timer = setTimeout(() => body.destroy(lateAfter(limitMs)), limitMs);
    body.once('close', () => clearTimeout(timer));
    return body;
  }

  async remove(name: string): Promise<void> {
    await this.within((abortSignal) =>
      this.client.send(new DeleteObjectCommand(this.objectOf(name)), { abortSignal }),
    );
  }

  /** An address that downloads an object without a key until it expires. @param method of the request to come */
  linkTo(name: string, method: string, { from, seconds }: LinkTimes): Promise<string> {
    const object = this.objectOf(name);
    const command = method === 'HEAD' ? new HeadObjectCommand(object) : new GetObjectCommand(object);
    return getSignedUrl(this.client, command, { signingDate: from, expiresIn: seconds });
  }

  /** Ends a question by a timer of its own, even while the store sends, and closes its connection. */
  private async within<Answer>(ask: (signal: AbortSignal) => Promise<Answer>, bytes = 0): Promise<Answer> {
    const limitMs = this.limitOf(bytes);
    const cut = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const isLate = new Promise<never>((_, fail) => {
      timer = setTimeout(() => {
        cut.abort();
        fail(lateAfter(limitMs));
      }, limitMs);
    });
    return Promise.race([ask(cut.signal), isLate]).finally(() => clearTimeout(timer));
  }

  private limitOf(bytes: number): number {
    return this.limitMs + (bytes / MIN_BYTES_PER_SECOND) * 1000;
  }

  private objectOf(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.bucket.name, Key: this.bucket.prefix + name };
  }
}

function hasBody(response: unknown): response is { body: Readable } {
  return isObject(response) && response.body instanceof Readable;
}

function bounded(body: Readable): Readable {
  let bytes = 0;
  const counted = new Transform({
    transform(part: Buffer, _, done) {
      bytes += part.length;
      done(
        bytes > MAX_ANSWER_BYTES ? new Error(`an answer has more than ${MAX_ANSWER_BYTES} bytes`) : null,
        part,
      );
    },
  });
  return pipeline(body, counted, () => undefined);
}

function lateAfter(ms: number): Error {
  return new Error(`the object store did not finish within ${Math.round(ms)} ms`);
}

/** Why a store cannot be used, as it follows on its name. */
export interface StoreProblem {
  readonly problem: string;
  readonly remedy: string;
}

/** SETTING stands for the setting that has the address. */
const ADDRESS = 'Correct SETTING.';
const KEYS: StoreProblem = {
  problem: 'does not accept the key',
  remedy: 'Correct the access key and its secret in SETTING; percent-encode their special characters.',
};
const REGION: StoreProblem = {
  problem: 'has the bucket in another region',
  remedy: 'Correct region= in SETTING.',
};
const NO_BUCKET: StoreProblem = { problem: 'has no such bucket', remedy: `Make the bucket, or: ${ADDRESS}` };

/** By the code of the answer, else by its status. */
const PROBLEMS: Readonly<Record<string, StoreProblem>> = {
  InvalidAccessKeyId: KEYS,
  SignatureDoesNotMatch: KEYS,
  401: KEYS,
  AuthorizationHeaderMalformed: REGION,
  PermanentRedirect: REGION,
  301: REGION,
  NoSuchBucket: NO_BUCKET,
  404: NO_BUCKET,
  RequestTimeTooSkewed: {
    problem: 'rejects the request, as the clock of this machine is off',
    remedy: 'Synchronise it with NTP.',
  },
  403: {
    problem: 'does not allow this key to list the bucket',
    remedy: 'Allow it to list the bucket, and to read, write and delete its objects.',
  },
};

function problemOf(error: unknown): StoreProblem {
  const { $metadata: answer, name, code }: Record<string, unknown> = isObject(error) ? error : {};
  const status = isObject(answer) ? answer.httpStatusCode : undefined;
  if (typeof status !== 'number')
    return {
      problem: `cannot be reached: ${typeof code === 'string' ? code : messageOf(error)}`,
      remedy: `${ADDRESS} Or let the firewall open connections to it.`,
    };
  const known = PROBLEMS[String(name)] ?? PROBLEMS[status];
  return known ?? { problem: `answers HTTP ${status} (${String(name)})`, remedy: ADDRESS };
}
