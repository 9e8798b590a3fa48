// The events socket: topics that are followed across reconnections, each from where it was left.

const window_ = 64;         // Frames that may be under way, a topic.
const firstPause = 500;     // Milliseconds before the first new try, doubled with every failure.
const longestPause = 15000;
const unauthenticated = 4401;

export class EventStream {
  // `told`: connection(state), ended() when the session is over, and check(), which rejects then.
  constructor(told) {
    this.told = told;
    this.topics = new Map();  // By name: { channel, cursor, taken, handlers }
    this.channel = 0;
    this.pause = firstPause;
    this.closed = false;
  }

  // handlers: begun(anew), events(list), view(view), problem(problem). Without a cursor only what is new comes.
  follow(name, handlers, cursor = null) {
    const topic = { channel: this.nextChannel(), cursor, taken: 0, handlers };
    this.topics.set(name, topic);
    if (this.isOpen()) this.subscribe(name, topic);
  }

  leave(name) {
    const topic = this.topics.get(name);
    this.topics.delete(name);
    if (topic && this.isOpen()) this.send({ type: 'unsubscribe', channel: topic.channel });
  }

  connect() {
    if (this.closed) return;
    this.told.connection('connecting');
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`, ['instantstart.v1']);
    this.socket.onopen = () => this.opened();
    this.socket.onmessage = (message) => this.take(JSON.parse(message.data));
    this.socket.onclose = (event) => this.lost(event.code);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.topics.clear();
    this.socket?.close(1000);
  }

  isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  nextChannel() {
    this.channel = (this.channel % 65535) + 1;
    return this.channel;
  }

  send(frame) {
    this.socket.send(JSON.stringify(frame));
  }

  subscribe(name, topic) {
    topic.taken = 0;
    const frame = { type: 'subscribe', channel: topic.channel, topic: name, credit: window_ };
    if (topic.cursor !== null) frame.cursor = topic.cursor;
    this.send(frame);
  }

  opened() {
    this.pause = firstPause;
    this.told.connection('live');
    for (const [name, topic] of this.topics) this.subscribe(name, topic);
  }

  take(frame) {
    if (frame.type === 'error') {
      this.refused(frame);
      return;
    }
    const topic = this.topics.get(frame.topic);
    if (!topic) return;  // Left meanwhile.
    if (frame.type === 'subscribed') {
      const anew = topic.cursor === null;
      topic.cursor = frame.cursor;
      topic.handlers.begun?.(anew);
      return;
    }
    if (frame.type === 'events') {
      const fresh = frame.events.filter((event) => topic.cursor === null || event.sequence > topic.cursor);
      topic.cursor = frame.cursor;
      topic.handlers.events?.(fresh);
    } else if (frame.type === 'view') {
      topic.handlers.view?.(frame.view);
    } else {
      return;
    }
    topic.taken += 1;
    if (topic.taken >= window_ / 2) {
      this.send({ type: 'credit', channel: topic.channel, credit: topic.taken });
      topic.taken = 0;
    }
  }

  refused(frame) {
    for (const [name, topic] of this.topics) {
      if (topic.channel !== frame.channel) continue;
      const wrongCursor = frame.problem.problems?.some((problem) => problem.pointer === '/cursor');
      if (wrongCursor && topic.cursor !== null) {
        // Another store stands behind the server now: begin anew.
        topic.cursor = null;
        this.subscribe(name, topic);
      } else {
        this.topics.delete(name);
        topic.handlers.problem?.(frame.problem);
      }
      return;
    }
  }

  async lost(code) {
    if (this.closed) return;
    this.told.connection('lost');
    const over = code === unauthenticated || await this.told.check().then(() => false, (problem) => problem.status === 401);
    if (this.closed) return;
    if (over) {
      this.close();
      this.told.ended();
      return;
    }
    this.timer = setTimeout(() => this.connect(), this.pause * (0.75 + Math.random() / 2));
    this.pause = Math.min(this.pause * 2, longestPause);
  }
}
