import { avmMethods } from '../src/rpc/avm.ts';
import { avaxMethods, platformMethods } from '../src/rpc/counterpart.ts';
import { devMethods } from '../src/rpc/dev.ts';
import { evmMethods } from '../src/rpc/evm.ts';
import { healthMethods } from '../src/rpc/health.ts';
import { infoMethods } from '../src/rpc/info.ts';
import type { MethodTable } from '../src/rpc/method.ts';
import { servicePaths } from '../src/rpc/method-hint.ts';
import type { RpcParam } from '../src/rpc/params.ts';
import { walletMethods } from '../src/rpc/wallet.ts';
import {
  avaxExamples,
  avmExamples,
  devExamples,
  type Example,
  evmExamples,
  healthExamples,
  infoExamples,
  platformExamples,
  walletExamples,
} from './method-examples.ts';

type Section = {
  readonly name: string;
  readonly path: string;
  /** What stands before a method's name. */
  readonly prefix: string;
  // biome-ignore lint/suspicious/noExplicitAny: rows of every service, whatever they depend on
  readonly rows: MethodTable<any>;
  readonly examples: { readonly [method: string]: Example };
  readonly also?: string;
};

const section = (name: keyof typeof servicePaths, rows: Section['rows'], examples: Section['examples'], also?: string): Section => ({
  name,
  path: servicePaths[name],
  prefix: `${name}.`,
  rows,
  examples,
  ...(also === undefined ? {} : { also }),
});

/** Every service of the Node RPC, in the order of the page. */
export const sections: readonly Section[] = [
  section('avm', avmMethods, avmExamples, '`/ext/bc/avm`, `/ext/bc/<blockchainID>`, `/ext/X`, `/ext/avm`'),
  section('wallet', walletMethods, walletExamples),
  section('info', infoMethods, infoExamples),
  section('health', healthMethods, healthExamples),
  section('platform', platformMethods, platformExamples),
  section('avax', avaxMethods, avaxExamples),
  { name: 'eth', path: '/ext/bc/C/rpc', prefix: '', rows: evmMethods, examples: evmExamples },
  section('dev', devMethods, devExamples),
];

export const methodsPage = (): string => sections.map(shownSection).join('\n\n');

function shownSection({ name, path, prefix, rows, examples, also }: Section): string {
  const table = Object.entries(rows).map(
    ([method, { params, deprecated }]) =>
      `| \`${prefix}${method}\` | ${shownParams(params)} | ${deprecated === null ? '' : `since AvalancheGo ${deprecated}`} |`,
  );
  const shown = Object.keys(rows).map((method) => shownExample(path, prefix + method, examples[method] as Example));
  const heading = `### ${name} at \`${path}\`${also === undefined ? '' : ` (also ${also})`}`;
  return [heading, '', '| method | parameters | deprecated |', '|---|---|---|', ...table, '', shown.join('\n\n')].join('\n');
}

function shownParams({ fields, type }: RpcParam<unknown>): string {
  if (fields === undefined) return `\`${type}\``;
  return Object.entries(fields)
    .map(([name, param]) => `\`${name}: ${typeText(param)}\``)
    .join(', ');
}

const typeText = ({ fields, type }: RpcParam<unknown>): string =>
  fields === undefined
    ? type
    : `{ ${Object.entries(fields)
        .map(([name, param]) => `${name}: ${typeText(param)}`)
        .join(', ')} }`;

function shownExample(path: string, method: string, { params, result }: Example): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params === undefined ? {} : { params }) });
  const command = `curl -s http://127.0.0.1:9650${path} -H 'content-type: application/json' -d '${body}'`;
  return `\`\`\`sh\n${command}\n\`\`\`\n\`\`\`json\n{"jsonrpc":"2.0","result":${result},"id":1}\n\`\`\``;
}
