import { devGroups, type ServiceRow } from '../src/api/contract/client-services.ts';
import type { MethodDoc } from '../src/api/contract/method.ts';
import { methodDocs } from '../src/api/contract/node-method-docs.ts';
import { type ServiceName, services } from '../src/api/contract/services.ts';
import { fieldNames } from './type-name.ts';

/** Every service with its methods: parameters, meaning and an example each, for docs/reference/methods.md. */
export function renderMethodsPage(): string {
  const rows = Object.entries(services) as [ServiceName, ServiceRow][];
  const overview = rows.map(([name, { path, prefix, methods }]) => {
    const listed = name === 'dev' ? `${Object.keys(methods).length}: ${Object.keys(devGroups).join(', ')}` : linkMethods(prefix, methods);
    return `| [${name}](#${name}) | \`${path}\` | ${listed} |`;
  });
  return [['| service | path | methods |', '|---|---|---|', ...overview].join('\n'), ...rows.map(formatSection)].join('\n\n');
}

/** The `dev.*` methods by group: they are too many for one line. */
const groupTable = (prefix: string): string[] => [
  '| about | methods |',
  '|---|---|',
  ...Object.entries(devGroups).map(([group, methods]) => `| ${group} | ${linkMethods(prefix, methods)} |`),
];

const linkMethods = (prefix: string, methods: object): string =>
  Object.keys(methods)
    .map((method) => `[${method}](#${anchorOf(prefix + method)})`)
    .join(', ');

function formatSection([service, { path, prefix, methods, otherPaths = [] }]: [ServiceName, ServiceRow]): string {
  const docs = methodDocs[service] as { readonly [method: string]: MethodDoc };
  const others = otherPaths.length === 0 ? '' : `, also at ${otherPaths.map((one) => `\`${one}\``).join(', ')}`;
  const details = Object.entries(methods).map(([method, { params, aliases }]) => {
    const doc = docs[method] as MethodDoc;
    const fields = fieldNames(params, aliases).map((field) => `\`${field}\``);
    const note = doc.deprecated === undefined ? '' : ` Deprecated since AvalancheGo ${doc.deprecated}.`;
    const parameters = fields.length === 0 ? 'No parameters.' : `Parameters: ${fields.join(', ')}.`;
    return [`### ${prefix}${method}`, '', `${doc.summary}.${note} ${parameters}`, '', formatExample(path, prefix + method, doc)].join('\n');
  });
  const list = service === 'dev' ? ['', ...groupTable(prefix)] : [];
  return [[`## ${service}`, '', `At \`${path}\`${others}.`, ...list].join('\n'), ...details].join('\n\n');
}

/** The anchor that a heading gets. */
const anchorOf = (name: string): string => name.toLowerCase().replaceAll(/[^\w-]/g, '');

function formatExample(path: string, method: string, example: MethodDoc): string {
  const { params } = example;
  const outcome = 'result' in example ? `"result":${example.result}` : `"error":${example.error}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
  const command = `curl -s http://127.0.0.1:9650${path} -H 'content-type: application/json' -d '${body}'`;
  return `\`\`\`sh\n${command}\n\`\`\`\n\`\`\`json\n{"jsonrpc":"2.0",${outcome},"id":1}\n\`\`\``;
}
