import { type CacheBudget, createCacheBudget } from './cache-budget.ts';
import { allShares, type CacheName, cacheTable } from './cache-table.ts';

/** A budget in which the caches of one name have a number of bytes. */
export const budgetFor = (name: CacheName, bytes: number): CacheBudget => createCacheBudget((bytes * allShares) / cacheTable[name].share);
