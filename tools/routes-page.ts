import type { RouteRow } from '../src/api/contract/route.ts';
import { dataRoutes } from '../src/api/data/routes.ts';
import { explorerRoutes } from '../src/api/explorer-routes/routes.ts';
import { metricsApiRoutes } from '../src/api/metrics-api/routes.ts';
import { apiHealthRoutes } from '../src/api/rest/health.ts';
import { buildOpenApi } from '../src/api/rest/openapi.ts';
import { webhookRoutes } from '../src/api/webhooks/webhook-routes.ts';
import { boundsText, refName, typeName } from '../src/explorer/reference/reference-schema.ts';
import type { OpenApi, Operation, Schema } from '../src/explorer/reference/reference-types.ts';

/** The routes of the Data, Webhook, Explorer and Metrics APIs with parameters and answers, for docs/reference/data-and-metrics.md. */

type Route = RouteRow & { readonly id: string };
type Group = { readonly name: string; readonly api: 'data' | 'metrics'; readonly note: string; readonly routes: readonly Route[] };

const groups: readonly Group[] = [
  {
    name: 'Data',
    api: 'data',
    note: 'The routes of the AvaCloud Data API for the X-Chain.',
    routes: [...apiHealthRoutes('v1'), ...dataRoutes()] as readonly Route[],
  },
  {
    name: 'Webhook',
    api: 'data',
    note: 'Routes of the AvaCloud Webhook API, for the operator of this server and for API keys ([webhooks.md](../guides/webhooks.md)).',
    routes: webhookRoutes as readonly Route[],
  },
  {
    name: 'Explorer',
    api: 'data',
    note: 'Serac’s own routes under `/v1`, which AvaCloud does not have ([explorer-api.md](explorer-api.md)).',
    routes: explorerRoutes({ hasLifecycle: true, hasMempool: true }) as readonly Route[],
  },
  {
    name: 'Metrics',
    api: 'metrics',
    note: 'The routes of the AvaCloud Metrics API, for the chains of this server. Names of networks, page tokens, rate limits and errors are as in the Data API.',
    routes: [...apiHealthRoutes('v2'), ...metricsApiRoutes()] as readonly Route[],
  },
];

export function renderRoutesPage(): string {
  // A type that an earlier group has described is linked from the later ones.
  const described = new Set<string>();
  const sections = groups.map((group) => formatGroup(group, described));
  const overview = groups.map(({ name, note }) => `| [${name} routes](#${name.toLowerCase()}-routes) | ${note} |`);
  const names = '`{network}` and `{blockchainId}` in paths, such as `local` and `x-chain`, are described under [Names](#names).';
  return [['| group | what it has |', '|---|---|', ...overview].join('\n'), names, ...sections].join('\n\n');
}

function formatGroup({ name, api, note, routes }: Group, described: Set<string>): string {
  const document = buildOpenApi(
    routes.map((route) => ({ api, route })),
    { title: '', version: '', description: '', requireKey: false, origin: '', examples: {} },
  ) as unknown as OpenApi;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  // They answer with the reason only, so they have neither parameters nor an answer to describe.
  const isServed = ({ operation: { tags } }: { operation: Operation }): boolean => !tags.some((tag) => tag.endsWith(notServed));
  const linked = (row: (typeof operations)[number]): string => {
    const { operationId } = row.operation;
    return isServed(row) ? `[${operationId}](#${operationId.toLowerCase()})` : `\`${operationId}\``;
  };
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags.join(', '));
  const overview = [...byTag].map(
    ([tag, rows]) => `| ${tag.replace(/^.*: /, '').replace(notServed, `${notServed}: 404`)} | ${rows.map(linked).join(', ')} |`,
  );
  const types = Object.entries(document.components.schemas).filter(([title]) => title !== 'Error' && !described.has(title));
  for (const [title] of types) described.add(title);
  return [
    [`## ${name} routes`, '', note, '', '| about | routes |', '|---|---|', ...overview].join('\n'),
    ...operations.filter(isServed).map(({ path, method, operation }) => formatOperation(method, path, operation)),
    ...types.map(([title, schema]) => [`### ${title}`, '', ...propertyTable(schema)].join('\n')),
  ].join('\n\n');
}

/** The tag of routes of AvaCloud that answer only with the reason why they are not served. */
const notServed = 'Not served here';

/** Described once, under "Names". */
const commonNames = new Set(['network', 'blockchainId']);

function formatOperation(
  method: string,
  path: string,
  { operationId, summary, description, parameters, requestBody, responses }: Operation,
) {
  const body = Object.values(requestBody?.content ?? {})[0]?.schema;
  const rows = [
    ...parameters
      .filter(({ name }) => !commonNames.has(name))
      .map(({ name, in: place, required, schema, description: meaning }) =>
        parameterRow(name, required ? place : `${place}, optional`, schema, meaning),
      ),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) =>
      parameterRow(name, body?.required?.includes(name) ? 'body' : 'body, optional', schema, schema.description),
    ),
  ];
  const answer = Object.entries((responses['200'] ?? responses['201'])?.content ?? {})[0];
  const returned =
    answer === undefined ? '' : ` Returns ${answer[0] === 'application/json' ? typeText(answer[1].schema) : `\`${answer[0]}\``}.`;
  const table = rows.length === 0 ? [] : ['', '| parameter | in | type | meaning |', '|---|---|---|---|', ...rows];
  const text = [`${summary}.`, description].filter((one) => one !== undefined).join(' ');
  return [`### ${operationId}`, '', `${method} \`${path}\`: ${text}${returned}`, ...table].join('\n');
}

const parameterRow = (name: string, place: string, schema: Schema, meaning = schema.description ?? ''): string =>
  `| \`${name}\` | ${place} | ${[typeText(schema), boundsNote(schema), defaultNote(schema)].filter((part) => part !== '').join(', ')} | ${meaning} |`;

const defaultNote = ({ default: value }: Schema): string => (value === undefined ? '' : `default \`${value}\``);

/** `1 to 100` */
const boundsNote = (schema: Schema): string =>
  schema.minimum === undefined && schema.maximum === undefined ? '' : boundsText(schema).replace(/^[^,]*, /, '');

function propertyTable({ properties = {}, required = [], ...schema }: Schema): string[] {
  if (Object.keys(properties).length === 0)
    return [`${typeText(schema)}${schema.description === undefined ? '' : `: ${schema.description}`}`];
  const rows = Object.entries(properties).map(
    ([name, one]) =>
      `| \`${name}\` | ${typeText(one)} | ${[required.includes(name) ? undefined : 'May be missing.', one.description].filter((part) => part !== undefined).join(' ')} |`,
  );
  return ['| property | type | meaning |', '|---|---|---|', ...rows];
}

/** A type in words; one that has a section of its own is a link. */
function typeText(schema: Schema): string {
  const name = refName(schema);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeText).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}`;
  if (typeof schema.additionalProperties === 'object') return `map of ${typeText(schema.additionalProperties)}`;
  if (schema.properties !== undefined)
    return `{ ${Object.keys(schema.properties)
      .map((one) => `\`${one}\``)
      .join(', ')} }`;
  return typeName(schema);
}
