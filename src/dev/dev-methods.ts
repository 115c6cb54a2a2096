import { atomicMethods } from './atomic-methods.ts';
import { stateMethods } from './state-methods.ts';

/** All `dev.*` methods, for local and custom networks, by group. Each group has its own file, with the dependencies of its methods. */
export const devMethods = { ...atomicMethods, ...stateMethods };
