import type { RpcParam } from '../src/api/rpc/params.ts';
import type { MethodExample } from '../src/api/rpc-reference/method-example.ts';
import { type ServiceRow, serviceTable } from '../src/api/rpc-reference/service-table.ts';

export const renderMethodsPage = (): string => serviceTable.map(formatSection).join('\n\n');

function formatSection({ name, path, prefix, methods, examples, otherPaths }: ServiceRow): string {
  const table = Object.entries(methods).map(
    ([method, { params, deprecated }]) =>
      `| \`${prefix}${method}\` | ${formatParams(params)} | ${deprecated === null ? '' : `since AvalancheGo ${deprecated}`} |`,
  );
  const shown = Object.keys(methods).map((method) => formatExample(path, prefix + method, examples[method] as MethodExample));
  const heading = `### ${name} at \`${path}\`${otherPaths === undefined ? '' : ` (also ${otherPaths.map((one) => `\`${one}\``).join(', ')})`}`;
  return [heading, '', '| method | parameters | deprecated |', '|---|---|---|', ...table, '', shown.join('\n\n')].join('\n');
}

function formatParams({ fields, aliases = {}, type }: RpcParam<unknown>): string {
  if (fields === undefined) return `\`${type}\``;
  const otherNames = (name: string) => Object.keys(aliases).filter((alias) => aliases[alias] === name);
  return Object.entries(fields)
    .map(([name, param]) => `\`${[name, ...otherNames(name)].join('` or `')}: ${formatType(param)}\``)
    .join(', ');
}

const formatType = ({ fields, type }: RpcParam<unknown>): string =>
  fields === undefined
    ? type
    : `{ ${Object.entries(fields)
        .map(([name, param]) => `${name}: ${formatType(param)}`)
        .join(', ')} }`;

function formatExample(path: string, method: string, example: MethodExample): string {
  const { params } = example;
  const outcome = 'result' in example ? `"result":${example.result}` : `"error":${example.error}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
  const command = `curl -s http://127.0.0.1:9650${path} -H 'content-type: application/json' -d '${body}'`;
  return `\`\`\`sh\n${command}\n\`\`\`\n\`\`\`json\n{"jsonrpc":"2.0",${outcome},"id":1}\n\`\`\``;
}
