import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { Injectable, type Type } from '@nestjs/common';
import { CheckQuery, CheckResult } from '../../api/check/check.dto.js';
import { DroppedQuery } from '../../api/dropped/dropped.dto.js';
import { NameFilterQuery } from '../../domains/schema/filters/parameters.js';
import { UpcomingQuery } from '../../api/drops/upcoming.dto.js';
import { ApiError } from '../../errors/api-error.js';
import { NoParameters, validationPipe } from '../../errors/validation.pipe.js';
import { FacetsResult } from '../../api/facets/facets.dto.js';
import { RecordBudget } from '../../access/record-budget.js';
import { DomainReport } from '../../api/report/report.dto.js';
import { SearchQuery } from '../../api/search/search.dto.js';
import { Stats } from '../../api/stats/stats.dto.js';
import { SuggestResult } from '../../api/suggest/suggest.dto.js';
import { Usage } from '../../api/usage/usage.dto.js';
import { McpContract } from '../schemas/mcp-contract.js';
import { toolFailure } from '../mcp-failure.js';
import type { McpCall, McpFeature } from '../mcp-feature.js';
import { CheckDomainTool } from './check-domain.tool.js';
import { CompactList } from './compact-list.js';
import { DatasetStatsTool } from './dataset-stats.tool.js';
import { CheckDomainsArguments, CheckedList } from './keyed/check-domains.tool.js';
import { DomainReportArguments } from './keyed/domain-report.tool.js';
import { KeyedTools } from './keyed/keyed-tools.js';
import { RegisterResult } from './register-result.dto.js';
import { RegisterDomainTool } from './register-domain.tool.js';
import { SuggestArguments, SuggestDomainsTool } from './suggest-domains.tool.js';
import type { Tool } from './tool.js';
import { UpcomingDropsTool } from './upcoming-drops.tool.js';

interface ToolSchemas {
  readonly inputSchema: StandardSchemaWithJSON;
  readonly outputSchema: StandardSchemaWithJSON;
}

/** Every class that an argument or a result has, for the OpenAPI document, which is made before there are tools. */
export const TOOL_SHAPES: Type<object>[] = [
  CheckQuery,
  CheckResult,
  SuggestArguments,
  SuggestResult,
  CompactList,
  NoParameters,
  Stats,
  RegisterResult,
  UpcomingQuery,
  SearchQuery,
  DroppedQuery,
  DomainReportArguments,
  DomainReport,
  CheckDomainsArguments,
  CheckedList,
  NameFilterQuery,
  FacetsResult,
  Usage,
];

/** The tools, in the order in which they are listed, always the same for callers of a kind. */
@Injectable()
export class ToolSet implements McpFeature {
  private readonly open: readonly Tool[];
  private readonly keyed: readonly Tool[];
  private readonly pipe = validationPipe();
  // Compiling a schema takes milliseconds, a server lives for one request.
  private readonly schemas = new Map<Tool, ToolSchemas>();

  constructor(
    private readonly contract: McpContract,
    private readonly budget: RecordBudget,
    check: CheckDomainTool,
    suggest: SuggestDomainsTool,
    stats: DatasetStatsTool,
    register: RegisterDomainTool,
    upcoming: UpcomingDropsTool,
    { tools }: KeyedTools,
  ) {
    this.open = [check, suggest, stats, register, upcoming];
    this.keyed = [...this.open, ...tools];
  }

  /** The tools of callers with a key, or of those without. */
  toolsOf(hasKey: boolean): readonly Tool[] {
    return hasKey ? this.keyed : this.open;
  }

  register(server: McpServer, call: McpCall): void {
    for (const tool of this.toolsOf(call.caller.key !== undefined)) {
      const { name, title, description, annotations } = tool;
      const config = { title, description, annotations, ...this.schemasOf(tool) };
      server.registerTool(name, config, (given) => this.run(tool, given, call));
    }
  }

  private async run(tool: Tool, given: unknown, { caller, requestId }: McpCall): Promise<CallToolResult> {
    try {
      const read = await this.read(tool, given);
      if (tool.costsRecords) this.budget.assertLeft(caller);
      const result = await tool.run(read, caller);
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
    } catch (error) {
      return toolFailure(error, requestId);
    }
  }

  /** Judges the arguments with the class and the rules that the REST parameters have. */
  private async read(tool: Tool, given: unknown): Promise<object> {
    const place = { type: 'query', metatype: tool.arguments } as const;
    const values = scalarsOf(given);
    try {
      return (await this.pipe.transform(values, place)) as object;
    } catch (error) {
      // A model that knows a parameter under another name is helped by the right one, and not by what is wrong with its own.
      const missing = this.contract.requiredOf(tool.arguments).filter((name) => !(name in values));
      if (!(error instanceof ApiError) || missing.length === 0) throw error;
      throw new ApiError(error.code, `${missing.join(' and ')} is missing; ${error.message}`);
    }
  }

  private schemasOf(tool: Tool): ToolSchemas {
    const known = this.schemas.get(tool);
    if (known) return known;
    const schemas = {
      inputSchema: this.contract.inputOf(tool.arguments),
      outputSchema: this.contract.outputOf(tool.results),
    };
    this.schemas.set(tool, schemas);
    return schemas;
  }
}

/** Longer lists than any parameter takes. */
const MAX_LIST = 20;

/**
 * Arguments are single values, or short lists of them. What holds anything else is replaced by an empty object, which every rule
 * refuses by name: so the depth of what an agent sends never reaches the validator. Models write null for what they leave out.
 */
function scalarsOf(given: unknown): object {
  if (typeof given !== 'object' || given === null) return {};
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => [name, isScalar(value) || isList(value) ? value : {}]),
  );
}

const isScalar = (value: unknown) => typeof value !== 'object';

function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_LIST && value.every(isScalar);
}
