import type { ServiceRow } from '../contract/client-services.ts';
import { createComponents } from '../contract/components.ts';
import { addressRows, assetRows, blockchainRows, blockRows, chainRows, txRows, utxoRows, vertexRows } from '../contract/data-routes.ts';
import {
  assetListRows,
  balanceHistoryRows,
  blockSummaryRows,
  crossChainRows,
  lifecycleRows,
  mempoolRows,
  outputRows,
  searchRows,
  throughputRows,
  txCheckRows,
  txSummaryRows,
} from '../contract/explorer-routes.ts';
import { jsonSchemaOf } from '../contract/json-schema.ts';
import type { MethodDoc, MethodRow } from '../contract/method.ts';
import { averageTpsRows, metricRows, metricsChainRows } from '../contract/metrics-routes.ts';
import { methodDocs } from '../contract/node-method-docs.ts';
import { onlyReads } from '../contract/reading-methods.ts';
import type { RouteRow, RouteRows } from '../contract/route.ts';
import { type AnySchema, type Fields, isOptional, schemaOf } from '../contract/schema.ts';
import { services } from '../contract/services.ts';
import { type Json, writeJson } from '../rpc/write-json.ts';
import type { Tool, ToolArguments, ToolGroup } from './tool.ts';

/** The routes of each group. Those that other servers have and this one does not are left out: they always answer 404. */
const routeGroups: { readonly [G in ToolGroup]?: RouteRows } = {
  data: { ...chainRows, ...blockchainRows, ...blockRows, ...txRows, ...utxoRows, ...addressRows, ...assetRows, ...vertexRows },
  explorer: {
    ...assetListRows,
    ...blockSummaryRows,
    ...txSummaryRows,
    ...outputRows,
    ...balanceHistoryRows,
    ...crossChainRows,
    ...throughputRows,
    ...searchRows,
    ...mempoolRows,
    ...txCheckRows,
    ...lifecycleRows,
  },
  metrics: { ...averageTpsRows, ...metricsChainRows, ...metricRows },
};

/** The tools of the groups. Without `allowsChanges` those that change the node are left out. */
export function createTools(groups: readonly ToolGroup[], allowsChanges: boolean): ReadonlyMap<string, Tool> {
  const tools = groups.flatMap((group) => {
    const routes = routeGroups[group];
    if (routes !== undefined)
      // A POST of these APIs is a GET for more addresses.
      return Object.entries(routes)
        .filter(([, { method }]) => method === 'GET')
        .map(([id, row]) => createRouteTool(group, id, row));
    const service = group as 'avm' | 'info' | 'health' | 'dev';
    const docs = methodDocs[service] as { readonly [name: string]: MethodDoc };
    return Object.entries((services[service] as ServiceRow).methods)
      .filter(([, row]) => row.isPositional !== true)
      .map(([name, row]) => createMethodTool(services[service], name, row, docs[name] as MethodDoc));
  });
  return new Map(tools.filter((tool) => allowsChanges || tool.onlyReads).map((tool) => [tool.name, tool]));
}

function createMethodTool({ path, prefix }: ServiceRow, name: string, { params }: MethodRow, doc: MethodDoc): Tool {
  const method = prefix + name;
  const deprecated = doc.deprecated === undefined ? '' : ` Deprecated since AvalancheGo ${doc.deprecated}.`;
  const example = doc.params === undefined ? '' : ` Example arguments: ${JSON.stringify(doc.params)}.`;
  return {
    name: method.replace('.', '_'),
    title: method,
    description: `${doc.summary}.${deprecated}${example.length > maxExample ? '' : example}`,
    inputSchema: describeArguments(params, new Set()),
    onlyReads: onlyReads(method),
    run: async (node, given) => writeJson((await node.call(path, method, given)) as Json),
  };
}

/** Characters of an example; longer ones hold whole transactions. */
const maxExample = 300;

/** Path parameters that most callers leave out: a node has one network, and its X-Chain is meant. */
const impliedParams: ReadonlySet<string> = new Set(['network', 'blockchainId']);

function createRouteTool(group: ToolGroup, id: string, row: RouteRow): Tool {
  const implied = new Set([...impliedParams].filter((name) => row.path.includes(`{${name}}`)));
  return {
    name: `${group}_${id}`,
    title: id,
    description: [row.summary, ...(row.description === undefined ? [] : [row.description])].join('. '),
    inputSchema: describeArguments(row.params, implied),
    onlyReads: true,
    run: async (node, given) => {
      const isComplete = given.network !== undefined || !implied.has('network');
      const network = isComplete ? {} : { network: await node.networkName() };
      return node.request(formatRouteRequest(row, { blockchainId: 'x-chain', ...network, ...given }));
    },
  };
}

/** The JSON Schema of a tool's arguments. `implied`: required parameters that have a value if they are left out. */
function describeArguments(params: Fields, implied: ReadonlySet<string>): Tool['inputSchema'] {
  const { toSchemaObject } = createComponents();
  const entries = Object.entries(params);
  return {
    type: 'object',
    properties: Object.fromEntries(
      entries.map(([name, field]) => [name, toSchemaObject(jsonSchemaOf(withoutExample(schemaOf(field)))) as Tool['inputSchema']]),
    ),
    required: entries.filter(([name, field]) => !isOptional(field) && !implied.has(name)).map(([name]) => name),
    additionalProperties: false,
  };
}

/** An example of an address would be taken for a value: its network may be another one. */
function withoutExample(schema: AnySchema): AnySchema {
  const { example: _, ...rest } = schema as { readonly example?: string };
  return rest as AnySchema;
}

/** The path and query of a GET request of a route with these arguments; those that the route does not have are left out. */
export function formatRouteRequest({ path, params }: RouteRow, given: ToolArguments): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const name of Object.keys(params)) {
    const value = given[name];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(',') : String(value);
    if (path.includes(`{${name}}`)) filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
    else query.set(name, text);
  }
  const search = query.toString();
  return search === '' ? filled : `${filled}?${search}`;
}
