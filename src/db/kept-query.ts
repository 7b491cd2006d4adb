import {
  type Client,
  type Connection,
  Query,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg';

/** How rows are read. */
interface Shape {
  readonly fields: readonly unknown[];
  readonly _parsers?: readonly unknown[];
  readonly _prebuiltEmptyResultObject: object | null;
}

export interface KeptStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

type Callback = (error: Error | null | undefined, result: QueryResult) => void;

/** What pg's class has beside its types. */
interface Inner extends Query {
  readonly name: string;
  readonly _result: Shape;
  _accumulateRows: boolean;
  prepare(connection: Connection): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
}
const InnerQuery = Query as unknown as new (config: QueryConfig, callback: Callback) => Inner;

/** A connection's kept statements. */
class Known {
  private static readonly all = new WeakMap<Connection, Known>();
  /** By the name of a statement that the connection has. */
  readonly shapes = new Map<string, Shape>();
  /** The connection, but for descriptions, which it asks for no more. */
  readonly undescribed: Connection;

  private constructor(connection: Connection) {
    this.undescribed = Object.create(connection, { describe: { value: () => undefined } }) as Connection;
  }

  static of(connection: Connection): Known {
    const known = Known.all.get(connection) ?? new Known(connection);
    Known.all.set(connection, known);
    return known;
  }
}

/**
 * A statement that a connection keeps under its name. Its rows are described once: PostgreSQL refuses to run a kept
 * statement whose rows have changed.
 */
class KeptQuery extends InnerQuery {
  private known: Known | undefined;

  override prepare(connection: Connection): void {
    this.known = Known.of(connection);
    const shape = this.known.shapes.get(this.name);
    if (shape) Object.assign(this._result, shape);
    this._accumulateRows = true;
    super.prepare(shape ? this.known.undescribed : connection);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    if (this.known && !this.known.shapes.has(this.name))
      this.known.shapes.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject });
    super.handleCommandComplete(message, connection);
  }
}

export async function runKept<Row extends QueryResultRow>(
  client: Client,
  { values, ...statement }: KeptStatement,
): Promise<Row[]> {
  try {
    return await new Promise((resolve, reject) => {
      const query = new KeptQuery({ ...statement, values: [...values] }, (error, result) =>
        error ? reject(error) : resolve(result.rows as Row[]),
      );
      client.query(query);
    });
  } catch (error) {
    // Where it was run, in the place of where its answer was read.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
}
