import { createContext, type VNode } from 'preact';

/** Renders an element to HTML. Only documents that the service renders provide it, so it is undefined in a browser. */
export const RenderMarkup = createContext<((part: VNode) => string) | undefined>(undefined);
