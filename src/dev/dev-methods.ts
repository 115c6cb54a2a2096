import { crossChainMethods } from './cross-chain-methods.ts';
import { moneyMethods } from './money-methods.ts';

/** All `dev.*` methods, by group. Each group has its own file, with the dependencies of its methods. */
export const devMethods = { ...moneyMethods, ...crossChainMethods };
