import { devMethods } from '../src/dev/dev-methods.ts';
import { avmMethods } from '../src/rpc/avm.ts';
import { avaxMethods, platformMethods } from '../src/rpc/counterpart.ts';
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
  evmExamples,
  healthExamples,
  infoExamples,
  type MethodExample,
  platformExamples,
  walletExamples,
} from './method-examples.ts';

type ServiceSection = {
  readonly name: string;
  readonly path: string;
  /** The text before each method name, such as `avm.`. */
  readonly prefix: string;
  // biome-ignore lint/suspicious/noExplicitAny: methods of any service, whatever their dependencies
  readonly methods: MethodTable<any>;
  readonly examples: { readonly [method: string]: MethodExample };
  readonly otherPaths?: string;
};

const createSection = (
  name: keyof typeof servicePaths,
  rows: ServiceSection['methods'],
  examples: ServiceSection['examples'],
  also?: string,
): ServiceSection => ({
  name,
  path: servicePaths[name],
  prefix: `${name}.`,
  methods: rows,
  examples,
  ...(also === undefined ? {} : { otherPaths: also }),
});

/** The services of the Node RPC, in the order of the page. */
export const serviceSections: readonly ServiceSection[] = [
  createSection('avm', avmMethods, avmExamples, '`/ext/bc/avm`, `/ext/bc/<blockchainID>`, `/ext/X`, `/ext/avm`'),
  createSection('wallet', walletMethods, walletExamples),
  createSection('info', infoMethods, infoExamples),
  createSection('health', healthMethods, healthExamples),
  createSection('platform', platformMethods, platformExamples),
  createSection('avax', avaxMethods, avaxExamples),
  { name: 'eth', path: '/ext/bc/C/rpc', prefix: '', methods: evmMethods, examples: evmExamples },
  createSection('dev', devMethods, devExamples),
];

export const renderMethodsPage = (): string => serviceSections.map(formatSection).join('\n\n');

function formatSection({ name, path, prefix, methods, examples, otherPaths }: ServiceSection): string {
  const table = Object.entries(methods).map(
    ([method, { params, deprecated }]) =>
      `| \`${prefix}${method}\` | ${formatParams(params)} | ${deprecated === null ? '' : `since AvalancheGo ${deprecated}`} |`,
  );
  const shown = Object.keys(methods).map((method) => formatExample(path, prefix + method, examples[method] as MethodExample));
  const heading = `### ${name} at \`${path}\`${otherPaths === undefined ? '' : ` (also ${otherPaths})`}`;
  return [heading, '', '| method | parameters | deprecated |', '|---|---|---|', ...table, '', shown.join('\n\n')].join('\n');
}

function formatParams({ fields, type }: RpcParam<unknown>): string {
  if (fields === undefined) return `\`${type}\``;
  return Object.entries(fields)
    .map(([name, param]) => `\`${name}: ${formatType(param)}\``)
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
