import type { ServiceRow } from '../src/api/contract/client-services.ts';
import type { MethodDoc } from '../src/api/contract/method.ts';
import { methodDocs } from '../src/api/contract/node-method-docs.ts';
import { type ServiceName, services } from '../src/api/contract/services.ts';
import { fieldNames } from './type-name.ts';

export const renderMethodsPage = (): string => (Object.entries(services) as [ServiceName, ServiceRow][]).map(formatSection).join('\n\n');

function formatSection([service, { path, prefix, methods, otherPaths }]: [ServiceName, ServiceRow]): string {
  const docs = methodDocs[service] as { readonly [method: string]: MethodDoc };
  const table = Object.entries(methods).map(([method, { params, aliases }]) => {
    const { summary, deprecated } = docs[method] as MethodDoc;
    const fields = fieldNames(params, aliases).map((field) => `\`${field}\``);
    const note = deprecated === undefined ? '' : ` Deprecated since AvalancheGo ${deprecated}.`;
    return `| \`${prefix}${method}\` | ${fields.join(', ')} | ${summary}.${note} |`;
  });
  const shown = Object.keys(methods).map((method) => formatExample(path, prefix + method, docs[method] as MethodDoc));
  const heading = `### ${service} at \`${path}\`${otherPaths === undefined ? '' : ` (also ${otherPaths.map((one) => `\`${one}\``).join(', ')})`}`;
  return [heading, '', '| method | parameters | returns or does |', '|---|---|---|', ...table, '', shown.join('\n\n')].join('\n');
}

function formatExample(path: string, method: string, example: MethodDoc): string {
  const { params } = example;
  const outcome = 'result' in example ? `"result":${example.result}` : `"error":${example.error}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
  const command = `curl -s http://127.0.0.1:9650${path} -H 'content-type: application/json' -d '${body}'`;
  return `\`\`\`sh\n${command}\n\`\`\`\n\`\`\`json\n{"jsonrpc":"2.0",${outcome},"id":1}\n\`\`\``;
}
