import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { holdPage } from '../chunks.ts';
import { holdUnsaved } from '../unsaved.ts';

type Values = ReadonlyMap<Element, string>;

function valuesOf(form: HTMLFormElement | null): Values {
  return new Map([...controlsOf(form)].map((control) => [control, held(control)]));
}

function controlsOf(form: HTMLFormElement | null): HTMLInputElement[] {
  return ([...(form?.elements ?? [])] as HTMLInputElement[]).filter(({ name }) => name !== '' && name !== undefined);
}

function held(control: HTMLInputElement): string {
  if (control.type === 'checkbox') return control.checked ? 'on' : '';
  return control.value;
}

/** What the changed ones are called, without what their labels explain. One that came later has begun empty. */
function changedLabels(form: HTMLFormElement | null, before: Values): string[] {
  return controlsOf(form)
    .filter((control) => held(control) !== (before.get(control) ?? ''))
    .map((control) => firstText(control.labels?.[0]) || control.name);
}

function firstText(element: Node | undefined): string {
  if (element === undefined) return '';
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const text = texts.currentNode.textContent?.trim();
    if (text) return text;
  }
  return '';
}

interface UnsavedFields {
  /** At each input, before the field itself hears of it: that draws the form anew. */
  look: () => void;
  /** What the fields hold is saved. */
  settle: () => void;
}

/** Knows whether the fields of a form hold what is saved nowhere, and has nobody leave it unasked. */
export function useUnsavedFields(form: RefObject<HTMLFormElement | null>, losesNothing: boolean): UnsavedFields {
  const holder = useRef({}).current;
  /** What they held before anybody changed one. */
  const before = useRef<Values>(new Map());
  const isChanged = useRef(false);
  useLayoutEffect(() => {
    if (!isChanged.current) before.current = valuesOf(form.current);
  });
  const settle = () => {
    isChanged.current = false;
    holdUnsaved(holder, undefined);
  };
  useEffect(() => settle, []);
  const look = () => {
    const labels = () => changedLabels(form.current, before.current);
    isChanged.current = labels().length > 0;
    if (losesNothing) holdPage(holder, isChanged.current);
    else holdUnsaved(holder, isChanged.current ? labels : undefined);
  };
  return { look, settle };
}
