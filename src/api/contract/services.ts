import { clientServices, type ServiceRow } from './client-services.ts';
import { avaxRows, evmRows, platformRows } from './counterpart-methods.ts';

const { avm, wallet, info, health, dev } = clientServices;

/** The services of the Node RPC in the order of the documentation. */
export const services = {
  avm,
  wallet,
  info,
  health,
  platform: { path: '/ext/bc/P', prefix: 'platform.', methods: platformRows },
  avax: { path: '/ext/bc/C/avax', prefix: 'avax.', methods: avaxRows },
  eth: { path: '/ext/bc/C/rpc', prefix: '', methods: evmRows },
  dev,
} as const satisfies { readonly [service: string]: ServiceRow };

export type ServiceName = keyof typeof services;
