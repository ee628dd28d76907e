/** The previous major, under another name. What the tests use of it has the same types. */
declare module 'express4' {
  import express from 'express'

  export default express
}
