import { BlockView } from './block-view.tsx';
import { BlocksView } from './blocks-view.tsx';
import { HomeView } from './home-view.tsx';
import { MessageView } from './message-view.tsx';

/** Views that are in the script of the first load. The browser loads the others when a page needs them. */
export const firstViews = {
  home: HomeView,
  blocks: BlocksView,
  block: BlockView,
  message: MessageView,
} as const;
