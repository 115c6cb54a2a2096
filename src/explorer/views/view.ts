import type { PageContext } from '../load/page-context.ts';

/** What every view gets. `now` is the chain's clock in Unix seconds, when the page was made. */
export type ViewProps<T> = { readonly data: T; readonly context: PageContext; readonly now: number; readonly origin: string };
