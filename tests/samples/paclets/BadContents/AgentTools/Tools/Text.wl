"only a text"
