import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { Injectable, type Type } from '@nestjs/common';
import { Takers } from '../access/network-rules.js';
import { RecordBudget } from '../access/record-budget.js';
import { ApiError } from '../errors/api-error.js';
import { validationPipe, NoParameters } from '../errors/validation.pipe.js';
import { McpContract } from './mcp-contract.js';
import { toolFailure } from './mcp-failure.js';
import type { McpCall, McpFeature } from './mcp-identity.js';
import { CheckQuery, CheckResult } from '../api/check/check.dto.js';
import { DroppedQuery } from '../api/dropped/dropped.module.js';
import { UpcomingQuery } from '../api/drops/upcoming.dto.js';
import { FacetsResult } from '../api/facets/facets.module.js';
import { DomainReport } from '../api/report/report.dto.js';
import { SearchQuery } from '../api/search/search.dto.js';
import { Stats } from '../api/stats/stats.module.js';
import { SuggestRequest, SuggestResult } from '../api/suggest/suggest.dto.js';
import { Usage } from '../api/usage/usage.module.js';
import { NameFilterQuery } from '../domains/schema/filters/parameters.js';
import { ORDER_TOOLS, ORDERING_EXISTS } from './order-tools.js';
import { annotationsOf, defineTool, type Tool, ToolServices } from './tool.js';
import { checkedList, compactList, handOff, suggestedList } from './tool-answers.js';
import {
  CheckDomainsArguments,
  CheckedList,
  CompactList,
  DomainReportArguments,
  MAX_NAMES,
  RegisterResult,
  SuggestArguments,
  SuggestedList,
} from './tool-shapes.dto.js';
import { eventWordOf } from '../domains/schema/events.js';

/** Clients of agents give up soon. */
const WAIT_SECONDS = 10;

/** For everybody, in the order of the list. */
const OPEN_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'check_domain',
    title: 'Check a domain',
    description:
      'Asks the registry whether one .au name can be registered now, and adds what the dataset knows of ' +
      'it. Use it before you call any name available, also one from suggest_domains. Costs 1 record; a ' +
      'refused or failed check costs nothing. It does not hold, price or register a name, and does not ' +
      'say who owns it or who may have it.',
    arguments: CheckQuery,
    results: [CheckResult],
    asksRegistry: true,
    costsRecords: true,
    run: ({ domain }, caller, { check }) => check.checkDomain(domain, caller),
  }),
  defineTool<SuggestArguments, SuggestResult | SuggestedList>({
    name: 'suggest_domains',
    title: 'Suggest domains',
    description:
      'Finds available .au names whose label matches one keyword, best archive score (wayback) first. Use ' +
      'it to find candidates: one word or part of a word a call, no spaces. Costs the records it returns ' +
      '(none found, none charged); limit is capped by what the budget has left. It ranks by history, ' +
      'not by meaning, unless describe, a sentence, stands for q; ideas adds close names. Each ' +
      'name was confirmed as available at some time, the note says by whom and when: check_domain says ' +
      'what is true now.',
    arguments: SuggestArguments,
    results: [SuggestResult, SuggestedList],
    asksRegistry: false,
    costsRecords: true,
    run: async ({ compact, describe, ideas, ...query }, caller, { suggest, explained }) => {
      if (describe !== undefined || ideas)
        return suggestedList(
          await explained.suggestDomains(requestOf({ describe, ideas, ...query }), caller),
        );
      const answer = await suggest.suggestDomains(query, caller);
      return compact ? compactList(answer.results, answer) : answer;
    },
  }),
  defineTool({
    name: 'dataset_stats',
    title: 'Dataset statistics',
    description:
      'How many available names the dataset holds, which suffixes it covers and when it was refreshed. ' +
      'Use it to learn whether there is data and how old it is. Costs nothing, also when the budget is ' +
      'spent. It does not say what is left of the budget.',
    arguments: NoParameters,
    results: [Stats],
    asksRegistry: false,
    costsRecords: false,
    run: (_, _caller, { stats }) => stats.readStats(),
  }),
  defineTool({
    name: 'register_domain',
    title: 'Get the registration link',
    description:
      'Checks that a .au name is available now and hands over register_url, the checkout of an accredited ' +
      'registrar for a person to complete; with it, who may hold a name of that suffix. Use it when the ' +
      'user has chosen a name. It buys nothing, registers nothing, holds nothing and sends no personal ' +
      'data. Costs 1 record, as a check does. For a name that cannot be had it says why and what to do ' +
      'next.',
    arguments: CheckQuery,
    results: [RegisterResult],
    asksRegistry: true,
    costsRecords: true,
    run: async ({ domain }, caller, { check, orders }) =>
      handOff(await check.checkDomain(domain, caller, { afresh: true }), orders ? ORDERING_EXISTS : ''),
  }),
  defineTool({
    name: 'upcoming_drops',
    title: 'Upcoming drops',
    description:
      'Names on the official drop lists that the registry is about to purge, the next purge first (UTC). ' +
      'Use it to watch for names that will be free soon. Until then the holder may get a name back, and ' +
      'nobody can register it: check_domain after its purge. Costs the records it returns.',
    arguments: UpcomingQuery,
    results: [CompactList],
    asksRegistry: false,
    costsRecords: true,
    run: async (query, caller, { drops }) => {
      const { results, ...answer } = await drops.listUpcoming(query, caller);
      const news = results.map(({ purge_at }) => ['purge', purge_at] as const);
      return compactList(
        results.map(({ data }) => data),
        answer,
        news,
      );
    },
  }),
];

/** @throws {ApiError} invalid_parameter */
function requestOf({ q, tld, ...query }: SuggestArguments): SuggestRequest {
  if (q !== undefined && query.describe !== undefined)
    throw new ApiError('invalid_parameter', 'describe and q exclude each other: send one of them');
  return Object.assign(new SuggestRequest(), {
    ...query,
    ...(q !== undefined && { keywords: [q] }),
    ...(tld !== undefined && { tld: [tld] }),
  });
}

/** With a key alone: agents pay in tokens for every tool of the list. */
const KEYED_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'search_domains',
    title: 'Search domains',
    description:
      'Available .au names by any mix of keyword, suffixes, length, hyphens, digits, score and first day, ' +
      'sorted and page by page, with how many match (total). Use it where suggest_domains has no such ' +
      'filter. Costs the records it returns: per_page 1 is enough to count. check_domain says what is ' +
      'true now.',
    arguments: SearchQuery,
    results: [CompactList],
    asksRegistry: false,
    costsRecords: true,
    run: async (query, caller, { search }) => {
      const { results, ...answer } = await search.searchDomains(query, caller);
      return compactList(results, answer);
    },
  }),
  defineTool({
    name: 'check_domains',
    title: 'Check several domains',
    description:
      `Asks the registry about up to ${MAX_NAMES} .au names at once, in one row each. ` +
      'Use it instead of several check_domain, to choose among candidates. ' +
      `What is not known within ${WAIT_SECONDS} s is pending: call again with token, which costs nothing more. ` +
      'Costs 1 record a name answered. It gives no register_url: register_domain does.',
    arguments: CheckDomainsArguments,
    results: [CheckedList],
    asksRegistry: true,
    // A token is for names that are paid already; the service asks for records where there are names.
    costsRecords: false,
    instead: {
      not_found: 'Call check_domains again with domains and without token: answers are kept for an hour.',
    },
    run: async ({ domains, token }, caller, { bulkCheck }) => {
      if ((domains === undefined) === (token === undefined))
        throw new ApiError('invalid_parameter', 'domains is missing, or else token: send one of them');
      return checkedList(
        token
          ? await bulkCheck.fetchRest(token, WAIT_SECONDS, caller)
          : await bulkCheck.checkAll(domains ?? [], WAIT_SECONDS, caller),
      );
    },
  }),
  defineTool({
    name: 'dropped_since',
    title: 'Dropped since',
    description:
      'What happened to names since a time, oldest first: domain.dropped (became available), domain.taken ' +
      '(registered again). Use it to watch: begin with since, keep next_cursor, and call again with ' +
      'cursor alone to hear of what is new, each event once. Costs the records it returns. Needs a tier ' +
      'with the feed.',
    arguments: DroppedQuery,
    results: [CompactList],
    asksRegistry: false,
    costsRecords: true,
    instead: {
      tier_required:
        'Call search_domains with first_seen_from (such as yesterday) for what is new on offer, or upcoming_drops ' +
        'with date (such as today); usage says what the tier includes.',
    },
    run: async (query, caller, { dropped }) => {
      const { results, ...answer } = await dropped.listEvents(query, caller);
      const news = results.map(({ type, timestamp }) => [eventWordOf(type), timestamp] as const);
      return compactList(
        results.map(({ data }) => data),
        answer,
        news,
      );
    },
  }),
  defineTool({
    name: 'domain_report',
    title: 'Domain report',
    description:
      'All that the dataset knows of one name: score and what it was made from, history, the same label ' +
      'under the other suffixes, who may hold it. Use it to compare candidates or to explain one. Costs 1 ' +
      'record, 2 with live; a name that the dataset does not have costs nothing (not_found: check_domain ' +
      'asks the registry).',
    arguments: DomainReportArguments,
    results: [DomainReport],
    asksRegistry: true,
    costsRecords: true,
    instead: {
      not_found: 'Call check_domain with the same domain: it asks the registry, for 1 record.',
    },
    run: ({ domain, live = false }, caller, { report }) =>
      report.reportOn(domain, { live: live ? 'true' : 'false' }, caller),
  }),
  defineTool({
    name: 'list_filters',
    title: 'List filters',
    description:
      'How many available names there are by suffix, length, hyphens, digits, score and month, within the ' +
      'filters that are given: what one filter more would leave. Use it to choose the filters of ' +
      'search_domains, or to count. Costs nothing, with q 1 record.',
    arguments: NameFilterQuery,
    results: [FacetsResult],
    asksRegistry: false,
    costsRecords: false,
    run: (query, caller, { facets }) => facets.countFacets(query, caller),
  }),
  defineTool({
    name: 'usage',
    title: 'Usage',
    description:
      'What is left of the budgets of this key, when they are full again, and what its tier includes. Use ' +
      'it before work that costs many records. Costs nothing.',
    arguments: NoParameters,
    results: [Usage],
    asksRegistry: false,
    costsRecords: false,
    run: (_, caller, { usage }) => usage.readUsage(caller),
  }),
];

const ALL_TOOLS = [...OPEN_TOOLS, ...KEYED_TOOLS];
const ALL_TOOLS_AND_ORDERS = [...ALL_TOOLS, ...ORDER_TOOLS];

/** The tools of callers with a key, or of those without. */
export function toolsFor(hasKey: boolean, takesOrders: boolean): readonly Tool[] {
  if (!hasKey) return OPEN_TOOLS;
  return takesOrders ? ALL_TOOLS_AND_ORDERS : ALL_TOOLS;
}

/** Every class of an argument or a result, for the OpenAPI document. */
export function toolShapes(takesOrders: boolean): Type<object>[] {
  const tools = toolsFor(true, takesOrders);
  return [...new Set(tools.flatMap(({ arguments: shape, results }) => [shape, ...results]))];
}

interface ToolSchemas {
  readonly inputSchema: StandardSchemaWithJSON;
  readonly outputSchema: StandardSchemaWithJSON;
}

@Injectable()
export class ToolSet implements McpFeature {
  private readonly pipe = validationPipe();
  // Compiling a schema takes milliseconds, a server lives for one request.
  private readonly schemas = new Map<Tool, ToolSchemas>();

  constructor(
    private readonly contract: McpContract,
    private readonly budget: RecordBudget,
    private readonly takers: Takers,
    private readonly services: ToolServices,
  ) {}

  register(server: McpServer, call: McpCall): void {
    for (const tool of toolsFor(call.caller.key !== undefined, this.services.orders !== null)) {
      const { name, title, description } = tool;
      const config = { title, description, annotations: annotationsOf(tool), ...this.schemasOf(tool) };
      server.registerTool(name, config, (given) => this.run(tool, given, call));
    }
  }

  private async run(tool: Tool, given: unknown, call: McpCall): Promise<CallToolResult> {
    // The answer to a batch has other results.
    const delivery = call.caller.delivery?.part();
    const caller = { ...call.caller, ...(delivery && { delivery }) };
    try {
      const read = await this.read(tool, given);
      if (tool.costsRecords) this.budget.assertLeft(caller);
      const result = await tool.run(read, caller, this.services);
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
    } catch (error) {
      // Over HTTP a failed tool is an answer like any other.
      delivery?.discard();
      if (error instanceof ApiError) this.takers.noteRefusal(caller, error.status);
      return toolFailure(error, call.requestId, tool);
    }
  }

  /** Validates the arguments with the classes of the REST parameters. */
  private async read(tool: Tool, given: unknown): Promise<object> {
    const place = { type: 'query', metatype: tool.arguments } as const;
    const values = scalarsOf(given);
    try {
      return (await this.pipe.transform(values, place)) as object;
    } catch (error) {
      // Models guess names of parameters: the right name helps more than a complaint about the guess.
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
 * Arguments are single values, or short lists of them. Anything else becomes an empty object, which every rule refuses,
 * so that nested input never reaches the validator. Null counts as left out: models write it.
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
