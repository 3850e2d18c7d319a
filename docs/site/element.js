// What the scripts of the pages share.

/** An element with its content, one piece or several, and its properties. */
const element = (name, content, attributes = {}) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...[content].flat());
  return made;
};
