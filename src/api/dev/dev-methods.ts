import { blocksMethods } from './blocks-methods.ts';
import { crossChainMethods } from './cross-chain-methods.ts';
import { faultMethods } from './fault-methods.ts';
import { identityMethods } from './identity-methods.ts';
import { insightMethods } from './insight-methods.ts';
import { moneyMethods } from './money-methods.ts';
import { stateMethods } from './state-methods.ts';
import { timeMethods } from './time-methods.ts';

/** All `dev.*` methods by group. Each group has its own file, with the dependencies of its methods. */
export const devMethods = {
  ...moneyMethods,
  ...crossChainMethods,
  ...blocksMethods,
  ...timeMethods,
  ...identityMethods,
  ...insightMethods,
  ...faultMethods,
  ...stateMethods,
};
