import { devMethods } from '../dev/dev-methods.ts';
import { avmMethods } from '../rpc/avm.ts';
import { avaxMethods, platformMethods } from '../rpc/counterpart.ts';
import { evmMethods } from '../rpc/evm.ts';
import { healthMethods } from '../rpc/health.ts';
import { infoMethods } from '../rpc/info.ts';
import type { MethodTable } from '../rpc/method.ts';
import { servicePaths } from '../rpc/method-hint.ts';
import { walletMethods } from '../rpc/wallet.ts';
import type { MethodExample } from './method-example.ts';
import {
  avaxExamples,
  avmExamples,
  devExamples,
  evmExamples,
  healthExamples,
  infoExamples,
  platformExamples,
  walletExamples,
} from './method-examples.ts';

/** A service of the Node RPC with its methods and an example of each. */
export type ServiceRow = {
  readonly name: string;
  readonly path: string;
  /** The text before each method name, such as `avm.`. */
  readonly prefix: string;
  // biome-ignore lint/suspicious/noExplicitAny: methods of any service, whatever their dependencies
  readonly methods: MethodTable<any>;
  readonly examples: { readonly [method: string]: MethodExample };
  readonly otherPaths?: readonly string[];
};

const serviceRow = (
  name: keyof typeof servicePaths,
  methods: ServiceRow['methods'],
  examples: ServiceRow['examples'],
  otherPaths?: readonly string[],
): ServiceRow => ({ name, path: servicePaths[name], prefix: `${name}.`, methods, examples, ...(otherPaths && { otherPaths }) });

/** The services of the Node RPC, in the order of the documentation. */
export const serviceTable: readonly ServiceRow[] = [
  serviceRow('avm', avmMethods, avmExamples, ['/ext/bc/avm', '/ext/bc/<blockchainID>', '/ext/X', '/ext/avm']),
  serviceRow('wallet', walletMethods, walletExamples),
  serviceRow('info', infoMethods, infoExamples),
  serviceRow('health', healthMethods, healthExamples),
  serviceRow('platform', platformMethods, platformExamples),
  serviceRow('avax', avaxMethods, avaxExamples),
  { name: 'eth', path: '/ext/bc/C/rpc', prefix: '', methods: evmMethods, examples: evmExamples },
  serviceRow('dev', devMethods, devExamples),
];
