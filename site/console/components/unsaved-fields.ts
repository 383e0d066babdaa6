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
  if (control.type === 'checkbox' || control.type === 'radio') return control.checked ? 'on' : '';
  return control.value;
}

/**
 * Returns the labels of the changed fields, without their hints. A field that appeared after the first change counts as
 * changed unless it is empty.
 */
function changedLabels(form: HTMLFormElement | null, before: Values, touched: ReadonlySet<Element>): string[] {
  return controlsOf(form)
    .filter((control) => touched.has(control) && held(control) !== (before.get(control) ?? ''))
    .map((control) => firstText(labelOf(control)) || control.name);
}

/** Returns a control, or all radio buttons of its group, because a click changes two of them. */
function groupOf(form: HTMLFormElement | null, control: Element): readonly Element[] {
  if (!control.matches('[type=radio]')) return [control];
  return controlsOf(form).filter(({ name }) => name === control.getAttribute('name'));
}

/** Returns the label of a control, or the legend of its group. */
function labelOf(control: HTMLInputElement): Node | null | undefined {
  return control.type === 'radio' ? control.closest('fieldset')?.querySelector('legend') : control.labels?.[0];
}

function firstText(element: Node | null | undefined): string {
  if (!element) return '';
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null) {
    const text = texts.currentNode.textContent?.trim();
    if (text) return text;
  }
  return '';
}

interface UnsavedFields {
  /** Call this for each input event before the field's own handler, because that handler may render the form again. */
  look: (event: Event) => void;
  /** Marks the current field values as saved. */
  settle: () => void;
}

/** Tracks unsaved input of a form and asks before the user leaves it. */
export function useUnsavedFields(form: RefObject<HTMLFormElement | null>, losesNothing: boolean): UnsavedFields {
  const holder = useRef({}).current;
  /**
   * The field values before the user's first change. Newly loaded values replace those of fields that the user has not
   * touched.
   */
  const before = useRef<Values>(new Map());
  const touched = useRef(new Set<Element>()).current;
  useLayoutEffect(() => {
    const kept = [...before.current].filter(([control]) => touched.has(control));
    before.current = new Map([...valuesOf(form.current), ...kept]);
  });
  const settle = () => {
    touched.clear();
    before.current = valuesOf(form.current);
    holdUnsaved(holder, undefined);
  };
  useEffect(() => settle, []);
  const look = ({ target }: Event) => {
    if (target instanceof Element) for (const each of groupOf(form.current, target)) touched.add(each);
    const labels = () => changedLabels(form.current, before.current, touched);
    const isChanged = labels().length > 0;
    if (losesNothing) holdPage(holder, isChanged);
    else holdUnsaved(holder, isChanged ? labels : undefined);
  };
  return { look, settle };
}
