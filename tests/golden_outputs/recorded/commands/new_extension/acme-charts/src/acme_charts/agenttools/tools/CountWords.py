from paddock import Tool

from acme_charts.texts import count_words

tool = Tool("count_words", count_words)
