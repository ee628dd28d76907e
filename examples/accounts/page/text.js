/** Makes an element that holds text. */
export function text(tag, content, className = '') {
  const made = document.createElement(tag)
  made.textContent = content
  made.className = className
  return made
}
