import { avm } from '../src/rpc/avm.ts';
import { avax, platform } from '../src/rpc/counterpart.ts';
import { dev } from '../src/rpc/dev.ts';
import { evm } from '../src/rpc/evm.ts';
import { health } from '../src/rpc/health.ts';
import { info } from '../src/rpc/info.ts';
import type { Rows } from '../src/rpc/method.ts';
import { servicePaths } from '../src/rpc/method-hint.ts';
import type { Param } from '../src/rpc/params.ts';
import { wallet } from '../src/rpc/wallet.ts';
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
  readonly rows: Rows<any>;
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
  section('avm', avm, avmExamples, '`/ext/bc/avm`, `/ext/bc/<blockchainID>`, `/ext/X`, `/ext/avm`'),
  section('wallet', wallet, walletExamples),
  section('info', info, infoExamples),
  section('health', health, healthExamples),
  section('platform', platform, platformExamples),
  section('avax', avax, avaxExamples),
  { name: 'eth', path: '/ext/bc/C/rpc', prefix: '', rows: evm, examples: evmExamples },
  section('dev', dev, devExamples),
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

function shownParams({ fields, type }: Param<unknown>): string {
  if (fields === undefined) return `\`${type}\``;
  return Object.entries(fields)
    .map(([name, param]) => `\`${name}: ${typeText(param)}\``)
    .join(', ');
}

const typeText = ({ fields, type }: Param<unknown>): string =>
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
