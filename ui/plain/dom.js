// Elements from data. Text goes in as text and never as markup: much of it comes from clusters.

export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Leaves what is right already alone, so that nothing is read out twice and a selection stays.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// Makes the children of `parent` those of `items`, in order. An element stays with its key, and so does the focus in it.
export function keyed(parent, items, keyOf, create, update) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let at = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let child = known.get(key);
    known.delete(key);
    if (!child) {
      child = create(item);
      child.dataset.key = key;
    }
    update(child, item);
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
  for (const child of known.values()) child.remove();
}

export function when(rfc3339) {
  return rfc3339 ? new Date(rfc3339).toLocaleString() : '';
}

const words = {
  pending: 'Pending', running: 'Running', waiting: 'Waiting', needs_input: 'Needs an answer', blocked: 'Blocked',
  waiting_approval: 'Waits for approval', cancelling: 'Stopping', succeeded: 'Succeeded', failed: 'Failed',
  cancelled: 'Cancelled', acting: 'Working', done: 'Done', undoing: 'Undoing', undone: 'Undone', undo_failed: 'Undo failed',
};

export function stateMark(state) {
  const mark = make('span', { class: 'state' });
  updateState(mark, state);
  return mark;
}

export function updateState(mark, state) {
  setAttribute(mark, 'data-state', state);
  setText(mark, words[state] ?? state);
}
