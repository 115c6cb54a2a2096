import { HomeView } from './home-view.tsx';
import { MessageView } from './message-view.tsx';

/** Views that are in the script of the first load. The browser loads the others when a page needs them. */
export const firstViews = {
  home: HomeView,
  message: MessageView,
} as const;
